package io.tidemark.tools.demo;

/** Who is killed at the half of the run. */
public enum KillMode {
    /** The leader of partition 0. */
    LEADER,
    /** A broker that follows in partition 0. */
    FOLLOWER,
    /** The broker that is controller. */
    CONTROLLER,
    /** All brokers at once. */
    ALL,
    /** Nobody. */
    NONE
}
