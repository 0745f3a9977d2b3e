package io.tidemark.controller;

import java.util.List;

/**
 * A wish that is about single partitions, of one topic or many. Each is decided by itself: one that cannot be met holds
 * up no other.
 *
 * @param kind what is to be done with each
 * @param targets the partitions; empty for all of the cluster, where the kind allows that
 */
public record PartitionChanges(Kind kind, List<Target> targets) implements AdminWish {
    /** Stands for all partitions of a topic. */
    public static final int ALL_PARTITIONS = -1;

    /** Most partitions that one wish may name. */
    public static final int TARGETS_MAX = 10_000;

    /** What is to be done. */
    public enum Kind {
        /** Move the replicas to the brokers that the target names. */
        REASSIGN,
        /** End the reassignment that is under way, and keep the replicas as they were before it. */
        CANCEL_REASSIGNMENT,
        /** Have the first replica of the assignment lead. */
        ELECT_PREFERRED,
        /** Have a replica lead that may lack committed records, since no other one can be had. */
        ELECT_UNCLEAN
    }

    /**
     * A partition, or all of a topic.
     *
     * @param topic the topic's name
     * @param partition the partition's number, or {@link #ALL_PARTITIONS}
     * @param brokers its replicas in the end, the preferred leader first; used by REASSIGN alone
     */
    public record Target(String topic, int partition, List<Integer> brokers) {
        /**
         * Copies the list.
         *
         * @param topic the topic's name
         * @param partition the partition's number
         * @param brokers its replicas in the end
         */
        public Target {
            brokers = List.copyOf(brokers);
        }
    }

    /**
     * Copies the list.
     *
     * @param kind what is to be done
     * @param targets the partitions
     */
    public PartitionChanges {
        targets = List.copyOf(targets);
    }
}
