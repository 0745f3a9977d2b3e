package io.tidemark.client;

import io.tidemark.wire.ErrorCode;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a client's view of its cluster fresh: asks when somebody wants it, and every minute. Owned by the client's
 * thread; {@link #view()} is for any thread.
 */
final class Metadata {
    private static final long PAUSE_NS = 50_000_000L;
    private static final long AGE_MAX_NS = 60_000_000_000L;
    private static final long CALL_NS = 5_000_000_000L;

    /** At least two seconds of asking, since a broker may hear of a new topic late. */
    private static final int GONE_MISSES = 40;

    private final Set<String> topics = new HashSet<>();
    private final Map<String, Integer> misses = new HashMap<>();
    private volatile ClusterView view = ClusterView.EMPTY;
    private @Nullable MetadataCall call;
    private boolean wanted = true;
    private boolean asked;
    private long askedAtNs;

    /**
     * What is known.
     *
     * @return an immutable view
     */
    ClusterView view() {
        return view;
    }

    /** Asks for a refresh, soon. */
    void refresh() {
        wanted = true;
    }

    /**
     * Keeps a topic fresh from now on.
     *
     * @param topic name
     */
    void add(String topic) {
        if (topics.add(topic)) {
            wanted = true;
        }
    }

    /**
     * Whether a topic that somebody uses is not there any more: the brokers have said so for a while.
     *
     * @param topic name
     * @return false again as soon as one knows it
     */
    boolean isGone(String topic) {
        return misses.getOrDefault(topic, 0) >= GONE_MISSES;
    }

    /**
     * How often brokers said, in a row, that they do not know a topic.
     *
     * @param topic name
     * @return 0 if it is known or nobody was asked
     */
    int misses(String topic) {
        return misses.getOrDefault(topic, 0);
    }

    /**
     * Stops keeping a topic that does not exist.
     *
     * @param topic name
     */
    void remove(String topic) {
        topics.remove(topic);
        misses.remove(topic);
    }

    /**
     * Takes what a reply says.
     *
     * @param reply to any question
     */
    void learn(MetadataReplyReader reply) {
        reply.failures().forEach((topic, code) -> {
            if (code == ErrorCode.UNKNOWN_TOPIC) {
                misses.merge(topic, 1, Integer::sum);
            }
        });
        reply.topics().forEach(topic -> misses.remove(topic.name()));
        view = view.with(reply.cluster(), reply.topics());
    }

    /**
     * Asks if it is time to.
     *
     * @param calls to ask by
     * @param nowNs now
     */
    void tick(Calls calls, long nowNs) {
        final MetadataCall running = call;
        if (running != null) {
            if (!running.result().isDone()) {
                return;
            }
            call = null;
            if (running.result().isCompletedExceptionally()) {
                wanted = true;
            } else {
                learn(running.result().join());
            }
        }
        final long ageNs = nowNs - askedAtNs;
        if (!asked || (wanted && ageNs >= PAUSE_NS) || ageNs >= AGE_MAX_NS) {
            asked = true;
            wanted = false;
            askedAtNs = nowNs;
            call = calls.add(new MetadataCall(Set.copyOf(topics), 0, Deadlines.after(nowNs, CALL_NS)));
        }
    }
}
