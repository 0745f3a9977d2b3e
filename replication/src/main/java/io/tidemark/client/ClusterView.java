package io.tidemark.client;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a client knows of its cluster. Immutable; published by the client's thread, read by any.
 *
 * <p>Knowledge of a partition never goes back: of two records of one topic id the one with the higher (leader epoch,
 * partition epoch) stays, and a topic id that was replaced by another under the same name does not come back.
 */
final class ClusterView {
    /** A view of nothing. */
    static final ClusterView EMPTY = new ClusterView(new ClusterDescription("", -1, -1, List.of()), Map.of(), Map.of());

    /** Replaced ids remembered per name; more re-creations than this within the life of a client are forgotten. */
    private static final int FORMER_IDS_MAX = 16;

    private final ClusterDescription cluster;
    private final Map<String, TopicDescription> topics;
    private final Map<String, Set<UUID>> formerIds;
    private final List<HostPort> addresses;

    private ClusterView(
            ClusterDescription cluster, Map<String, TopicDescription> topics, Map<String, Set<UUID>> formerIds) {
        this.cluster = cluster;
        this.topics = topics;
        this.formerIds = formerIds;
        this.addresses = cluster.brokers().stream()
                .map(broker -> new HostPort(broker.host(), broker.port()))
                .toList();
    }

    /**
     * The cluster as last heard.
     *
     * @return brokers and controller
     */
    ClusterDescription cluster() {
        return cluster;
    }

    /**
     * Addresses of the brokers that are live as last heard.
     *
     * @return maybe empty
     */
    List<HostPort> addresses() {
        return addresses;
    }

    /**
     * A topic.
     *
     * @param name of it
     * @return null if it is not known
     */
    @Nullable
    TopicDescription topic(String name) {
        return topics.get(name);
    }

    /**
     * Address of a broker.
     *
     * @param broker id, −1 for none
     * @return null if it is not live as last heard
     */
    @Nullable
    HostPort address(int broker) {
        for (int i = 0; i < addresses.size(); i++) {
            if (cluster.brokers().get(i).id() == broker) {
                return addresses.get(i);
            }
        }
        return null;
    }

    /**
     * This view with news in it.
     *
     * @param newCluster brokers and controller as just heard; an older controller epoch does not replace a newer one
     * @param news topics as just heard
     * @return a new view
     */
    ClusterView with(ClusterDescription newCluster, Collection<TopicDescription> news) {
        final Map<String, TopicDescription> merged = new HashMap<>(topics);
        final Map<String, Set<UUID>> former = new HashMap<>(formerIds);
        for (TopicDescription topic : news) {
            final TopicDescription known = merged.get(topic.name());
            if (known == null || known.topicId().equals(topic.topicId())) {
                merged.put(topic.name(), known == null ? topic : newer(known, topic));
            } else if (!former.getOrDefault(topic.name(), Set.of()).contains(topic.topicId())) {
                merged.put(topic.name(), topic);
                former.put(topic.name(), remember(former.get(topic.name()), known.topicId()));
            }
        }
        final boolean older = newCluster.controllerEpoch() < cluster.controllerEpoch();
        final ClusterDescription heard = older
                ? new ClusterDescription(
                        newCluster.clusterId(), cluster.controller(), cluster.controllerEpoch(), newCluster.brokers())
                : newCluster;
        return new ClusterView(heard, merged, former);
    }

    private static Set<UUID> remember(@Nullable Set<UUID> known, UUID id) {
        final Set<UUID> ids = known == null || known.size() >= FORMER_IDS_MAX ? new HashSet<>() : new HashSet<>(known);
        ids.add(id);
        return ids;
    }

    private static TopicDescription newer(TopicDescription known, TopicDescription heard) {
        final int count = Math.max(known.partitions().size(), heard.partitions().size());
        final PartitionDescription[] partitions = new PartitionDescription[count];
        for (int i = 0; i < count; i++) {
            if (i >= known.partitions().size()) {
                partitions[i] = heard.partitions().get(i);
            } else if (i >= heard.partitions().size()) {
                partitions[i] = known.partitions().get(i);
            } else {
                partitions[i] =
                        newer(known.partitions().get(i), heard.partitions().get(i));
            }
        }
        return new TopicDescription(known.name(), known.topicId(), List.of(partitions), heard.settings());
    }

    private static PartitionDescription newer(PartitionDescription known, PartitionDescription heard) {
        final int byLeader = Integer.compare(heard.leaderEpoch(), known.leaderEpoch());
        final int order = byLeader != 0 ? byLeader : Integer.compare(heard.partitionEpoch(), known.partitionEpoch());
        return order >= 0 ? heard : known;
    }
}
