package io.tidemark.conductor;

import io.tidemark.controller.BrokerRegistration;
import java.nio.file.Path;
import java.time.Duration;

/**
 * What this broker says of itself when it registers. Immutable.
 *
 * @param brokerId its id
 * @param host the address that it advertises
 * @param port the port that its lane is bound to
 * @param rack its failure zone, may be empty
 * @param storageId names its data folder
 * @param dataDirectory the folder, for messages
 * @param sessionTtl the wished time to live of its sessions
 */
record BrokerProfile(
        int brokerId, String host, int port, String rack, String storageId, Path dataDirectory, Duration sessionTtl) {
    /**
     * The registration of one life.
     *
     * @param incarnation number of the life
     * @param intactSince oldest incarnation since which the folder is intact
     * @return what is written
     */
    BrokerRegistration at(long incarnation, long intactSince) {
        return new BrokerRegistration(
                brokerId, incarnation, intactSince, host, port, rack, storageId, BrokerRegistration.Status.RUNNING);
    }
}
