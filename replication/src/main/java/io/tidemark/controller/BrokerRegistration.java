package io.tidemark.controller;

import org.jspecify.annotations.Nullable;

/**
 * One registered life of a broker.
 *
 * @param broker the broker's id, at least 0
 * @param incarnation number of this life; each registration takes a higher one
 * @param intactSince the oldest incarnation since which nothing that was not yet on disk can have been lost; at most
 *     {@code incarnation}
 * @param host name or address that others connect to
 * @param port port that others connect to, 1 to 65535
 * @param rack where the broker stands, empty if unknown
 * @param storageId identity of the data folder
 * @param status whether the broker takes part or is about to leave
 */
public record BrokerRegistration(
        int broker,
        long incarnation,
        long intactSince,
        String host,
        int port,
        String rack,
        String storageId,
        Status status) {
    /** Whether a broker takes part. */
    public enum Status {
        /** It may lead, follow and join an ISR. */
        RUNNING,
        /** It is shutting down: it must not be elected, join an ISR or be given new partitions. */
        LEAVING
    }

    /**
     * Checks the numbers.
     *
     * @param broker the broker's id
     * @param incarnation number of this life
     * @param intactSince the oldest incarnation since which nothing can have been lost
     * @param host name or address
     * @param port port
     * @param rack where the broker stands
     * @param storageId identity of the data folder
     * @param status whether the broker takes part
     * @throws IllegalArgumentException if a number is out of its range
     */
    public BrokerRegistration {
        if (broker < 0 || incarnation < 0 || intactSince < 0 || intactSince > incarnation) {
            throw new IllegalArgumentException("invalid broker registration: broker=" + broker + ", incarnation="
                    + incarnation + ", intactSince=" + intactSince
                    + "; none may be negative, and intactSince may not be above incarnation");
        }
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException(
                    "invalid broker registration: broker=" + broker + ", port=" + port + "; ports are 1 to 65535");
        }
    }

    /**
     * Tells whether the broker takes part.
     *
     * @return true if its status is RUNNING
     */
    public boolean isRunning() {
        return status == Status.RUNNING;
    }

    /**
     * The same life, about to end.
     *
     * @return the registration with the status LEAVING
     */
    public BrokerRegistration leaving() {
        return new BrokerRegistration(broker, incarnation, intactSince, host, port, rack, storageId, Status.LEAVING);
    }

    /**
     * Whether this is the same process at the same place, whatever its status.
     *
     * @param other another registration, null if there is none
     * @return true if broker, incarnation and address are the same
     */
    public boolean isSameProcess(@Nullable BrokerRegistration other) {
        return other != null
                && broker == other.broker
                && incarnation == other.incarnation
                && host.equals(other.host)
                && port == other.port;
    }
}
