package io.tidemark.conductor;

import io.tidemark.controller.BrokerRegistration;
import io.tidemark.coordination.Session;
import io.tidemark.coordination.Version;
import io.tidemark.partition.Replica;

/**
 * One registration of this broker: a life of it as the cluster sees it. Immutable.
 *
 * @param clusterId the cluster
 * @param broker what was registered
 * @param version of the registration, for guards
 * @param counterVersion version of the incarnation's counter, which tells this life from any other
 * @param session with which it ends
 */
record Registration(
        String clusterId, BrokerRegistration broker, Version version, Version counterVersion, Session session) {
    /**
     * This broker as a holder of partitions.
     *
     * @return its id and incarnation
     */
    Replica self() {
        return new Replica(broker.broker(), broker.incarnation());
    }
}
