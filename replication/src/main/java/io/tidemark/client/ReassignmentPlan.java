package io.tidemark.client;

import io.tidemark.controller.BrokerRegistration;
import io.tidemark.controller.ReplicaPlacement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/** Where the replicas of topics go if only some brokers are to hold them. Stateless. */
final class ReassignmentPlan {
    private ReassignmentPlan() {}

    /**
     * Plans the moves. The same input gives the same plan.
     *
     * @param topics the topics as they are
     * @param live the live brokers
     * @param wanted ids of those that are to hold the replicas
     * @return a move for each partition that is not on the wanted brokers alone
     * @throws IllegalArgumentException if a wanted broker is not live, or there are fewer than a topic has replicas
     */
    static List<PartitionMove> moves(
            List<TopicDescription> topics, Collection<BrokerDescription> live, List<Integer> wanted) {
        final List<BrokerRegistration> brokers = new ArrayList<>();
        for (int id : wanted) {
            final Optional<BrokerDescription> found =
                    live.stream().filter(broker -> broker.id() == id).findFirst();
            brokers.add(registration(found.orElseThrow(() -> new IllegalArgumentException("unknown broker: broker=" + id
                    + ", liveBrokers="
                    + live.stream().map(BrokerDescription::id).toList() + "; name brokers that run"))));
        }
        final List<PartitionMove> moves = new ArrayList<>();
        for (TopicDescription topic : topics) {
            plan(topic, brokers, wanted, moves);
        }
        return moves;
    }

    private static void plan(
            TopicDescription topic, List<BrokerRegistration> brokers, List<Integer> wanted, List<PartitionMove> moves) {
        final int count = topic.partitions().size();
        final int replicas = topic.partitions().stream()
                .mapToInt(partition -> partition.assignment().size())
                .max()
                .orElse(1);
        if (replicas > brokers.size()) {
            throw new IllegalArgumentException("too few brokers: topic=" + topic.name() + ", replicas=" + replicas
                    + ", brokers=" + wanted + "; name at least " + replicas);
        }
        final List<List<Integer>> placement = ReplicaPlacement.spread(
                brokers, count, replicas, new SplittableRandom(topic.topicId().getLeastSignificantBits()));
        for (PartitionDescription partition : topic.partitions()) {
            if (!wanted.containsAll(partition.assignment())) {
                moves.add(new PartitionMove(
                        topic.name(),
                        partition.partition(),
                        placement
                                .get(partition.partition())
                                .subList(0, partition.assignment().size())));
            }
        }
    }

    private static BrokerRegistration registration(BrokerDescription broker) {
        return new BrokerRegistration(
                broker.id(),
                broker.incarnation(),
                broker.incarnation(),
                broker.host(),
                broker.port(),
                broker.rack(),
                "",
                broker.leaving() ? BrokerRegistration.Status.LEAVING : BrokerRegistration.Status.RUNNING);
    }
}
