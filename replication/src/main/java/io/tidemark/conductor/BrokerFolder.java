package io.tidemark.conductor;

import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * What registration needs of the broker's data folder. Any thread; never blocks: the disk is touched by the maintenance
 * agent.
 */
interface BrokerFolder {
    /**
     * The cluster that the folder belongs to.
     *
     * @return its id, empty for a folder that never took part in one
     */
    Optional<String> clusterId();

    /**
     * The last life that was noted, also one that the cluster may never have heard of.
     *
     * @return its number, -1 if none was
     */
    long incarnation();

    /**
     * Notes on disk that a life of this broker begins, before anything depends on it, and finds since which life
     * nothing un-synced can have been lost.
     *
     * @param clusterId the cluster; the folder belongs to it from now on
     * @param incarnation number of the life
     * @return the oldest incarnation since which the folder is intact; fails with
     *     {@link io.tidemark.log.StorageException} if the disk refused, or if the folder belongs to another cluster
     */
    CompletionStage<Long> beginIncarnation(String clusterId, long incarnation);

    /**
     * The highest controller epoch that the folder has noted.
     *
     * @return the epoch, -1 if there is none
     */
    long controllerEpoch();

    /**
     * Notes a controller epoch that was seen. Lower ones than the noted one are ignored.
     *
     * @param epoch the epoch
     */
    void controllerEpochSeen(long epoch);
}
