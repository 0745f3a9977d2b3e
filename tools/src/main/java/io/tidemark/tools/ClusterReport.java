package io.tidemark.tools;

import io.tidemark.client.ClusterDescription;
import io.tidemark.client.PartitionDescription;
import io.tidemark.client.TopicDescription;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * A cluster with the partitions that need attention. Immutable.
 *
 * @param cluster brokers and controller
 * @param topics number of topics
 * @param partitions number of partitions
 * @param troubled the partitions of each concern, in order; one may stand in several
 */
record ClusterReport(ClusterDescription cluster, int topics, int partitions, Map<Concern, List<Place>> troubled) {
    /** Why a partition needs attention. */
    enum Concern {
        /** Nobody leads it. */
        OFFLINE("offline"),
        /** Acks ALL are refused. */
        BELOW_MIN_ISR("belowMinIsr"),
        /** A copy is missing or behind. */
        UNDER_REPLICATED("underReplicated"),
        /** Replicas are being added or removed. */
        REASSIGNING("reassigning");

        private final String text;

        Concern(String text) {
            this.text = text;
        }

        /**
         * Its name for people and programs.
         *
         * @return one word
         */
        String text() {
            return text;
        }
    }

    /**
     * A partition of a topic.
     *
     * @param topic name of the topic
     * @param partition the partition
     */
    record Place(String topic, PartitionDescription partition) {}

    /**
     * Looks at all partitions.
     *
     * @param cluster brokers and controller
     * @param topics all topics
     * @return what was found
     */
    static ClusterReport of(ClusterDescription cluster, List<TopicDescription> topics) {
        Map<Concern, List<Place>> troubled = new EnumMap<>(Concern.class);
        for (Concern concern : Concern.values()) {
            troubled.put(concern, new ArrayList<>());
        }
        int count = 0;
        for (TopicDescription topic : topics) {
            count += topic.partitions().size();
            for (PartitionDescription partition : topic.partitions()) {
                Place place = new Place(topic.name(), partition);
                troubled.forEach((concern, places) -> {
                    if (isConcerned(cluster, partition, concern)) {
                        places.add(place);
                    }
                });
            }
        }
        return new ClusterReport(cluster, topics.size(), count, Collections.unmodifiableMap(troubled));
    }

    private static boolean isConcerned(ClusterDescription cluster, PartitionDescription partition, Concern concern) {
        return switch (concern) {
            case OFFLINE -> cluster.isOffline(partition);
            case BELOW_MIN_ISR -> partition.isBelowMinIsr();
            case UNDER_REPLICATED -> partition.isUnderReplicated();
            case REASSIGNING -> partition.isReassigning();
        };
    }
}
