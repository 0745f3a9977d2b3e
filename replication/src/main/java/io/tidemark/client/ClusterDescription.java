package io.tidemark.client;

import java.util.List;

/**
 * The cluster as a broker knows it.
 *
 * @param clusterId made when the cluster was first started
 * @param controller id of the controller, −1 if there is none now
 * @param controllerEpoch its term
 * @param brokers live brokers, sorted by id
 */
public record ClusterDescription(
        String clusterId, int controller, long controllerEpoch, List<BrokerDescription> brokers) {
    /**
     * Whether nobody leads a partition: it has no leader, or the process of its leader is gone.
     *
     * @param partition a partition of this cluster
     * @return true if it can be neither written nor read now
     */
    public boolean isOffline(PartitionDescription partition) {
        return brokers.stream()
                .noneMatch(broker ->
                        broker.id() == partition.leader() && broker.incarnation() == partition.leaderIncarnation());
    }
}
