package io.tidemark.client;

import io.tidemark.wire.ErrorCode;
import java.util.concurrent.CompletableFuture;

/**
 * Somebody who waits until a topic is known. A topic that was just created takes a moment to be known to every
 * broker, so "unknown" is believed only after a while. Owned by the client's thread; the result is for any thread.
 */
final class TopicWait {
    private static final long PATIENCE_NS = 2_000_000_000L;

    private final String topic;
    private final long sinceNs;
    private final long deadlineNs;
    private final CompletableFuture<TopicDescription> result = new CompletableFuture<>();

    /**
     * A wait that begins.
     *
     * @param topic name
     * @param nowNs now
     * @param timeoutNs longest wait
     */
    TopicWait(String topic, long nowNs, long timeoutNs) {
        this.topic = topic;
        this.sinceNs = nowNs;
        this.deadlineNs = Deadlines.after(nowNs, timeoutNs);
    }

    /**
     * What it ends with.
     *
     * @return the topic, or a failure
     */
    CompletableFuture<TopicDescription> result() {
        return result;
    }

    /**
     * Looks.
     *
     * @param metadata of the client
     * @param nowNs now
     * @return true when it has ended
     */
    boolean tick(Metadata metadata, long nowNs) {
        final TopicDescription known = metadata.view().topic(topic);
        if (known != null) {
            result.complete(known);
            return true;
        }
        final int misses = metadata.misses(topic);
        final boolean over = Deadlines.passed(nowNs, deadlineNs);
        if (misses > 0 && (over || nowNs - sinceNs >= PATIENCE_NS)) {
            metadata.remove(topic);
            result.completeExceptionally(new UnknownTopicException("unknown topic: topic=" + topic + ", timesAsked="
                    + misses + "; create it first, or check its name"));
            return true;
        }
        if (over) {
            result.completeExceptionally(new TidemarkException(
                    ErrorCode.REQUEST_TIMED_OUT,
                    "no broker told about the topic in time: topic=" + topic + "; check that brokers are running",
                    null));
            return true;
        }
        metadata.add(topic);
        metadata.refresh();
        return false;
    }
}
