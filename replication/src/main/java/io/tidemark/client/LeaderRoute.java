package io.tidemark.client;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Where the leader of a partition is, looked up again only when the client's view has changed. Owned by the client's
 * thread.
 */
final class LeaderRoute {
    private @Nullable ClusterView seen;
    private @Nullable BrokerLink link;
    private @Nullable UUID topicId;
    private int leaderEpoch = -1;

    /** A route to nowhere. */
    LeaderRoute() {}

    /**
     * Looks the leader up.
     *
     * @param view what is known
     * @param links to all brokers
     * @param topic name
     * @param partition from 0
     * @return the link to its leader; null if it has none, or is not known
     */
    @Nullable
    BrokerLink find(ClusterView view, BrokerLinks links, String topic, int partition) {
        if (view != seen) {
            seen = view;
            link = null;
            final TopicDescription known = view.topic(topic);
            if (known != null && partition < known.partitions().size()) {
                topicId = known.topicId();
                final PartitionDescription state = known.partitions().get(partition);
                leaderEpoch = state.leaderEpoch();
                final HostPort address = view.address(state.leader());
                link = address == null ? null : links.link(address);
            }
        }
        return link;
    }

    /**
     * Id of the topic as last looked up.
     *
     * @return null before the topic was known
     */
    @Nullable
    UUID topicId() {
        return topicId;
    }

    /**
     * Term of the leader as last looked up.
     *
     * @return −1 before the topic was known
     */
    int leaderEpoch() {
        return leaderEpoch;
    }
}
