package io.tidemark.client;

/**
 * A live broker.
 *
 * @param id of the broker
 * @param incarnation number of its process life
 * @param host to connect to
 * @param port to connect to
 */
public record BrokerDescription(int id, long incarnation, String host, int port) {}
