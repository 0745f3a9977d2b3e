package io.tidemark.client;

/**
 * A live broker.
 *
 * @param id of the broker
 * @param incarnation number of its process life
 * @param host to connect to
 * @param port to connect to
 * @param rack its failure zone, empty if it has none
 * @param leaving whether it is about to stop: it is given no new leaderships and replicas
 */
public record BrokerDescription(int id, long incarnation, String host, int port, String rack, boolean leaving) {}
