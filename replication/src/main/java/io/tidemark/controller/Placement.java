package io.tidemark.controller;

/** Rule by which the controller chooses brokers for replicas. */
public enum Placement {
    /**
     * From a random start, with a distance between leader and followers that grows with every round, and over as many
     * racks as possible: the load of a broker that dies goes to all others.
     */
    SPREAD,
    /**
     * Brokers sorted by id; partition i begins on broker i mod n, and its replica j stands on broker (i + j) mod n.
     * Easy to predict, but the load of a broker that dies goes to its neighbour.
     */
    SEQUENTIAL
}
