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
        String clusterId, int controller, long controllerEpoch, List<BrokerDescription> brokers) {}
