package io.tidemark.conductor;

/**
 * Where a broker's process was last registered.
 *
 * @param broker its id
 * @param incarnation its registration number
 * @param host the address that it advertises
 * @param port its port
 */
record PeerAddress(int broker, long incarnation, String host, int port) {}
