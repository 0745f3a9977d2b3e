package io.tidemark.client;

import io.tidemark.wire.ErrorCode;

/**
 * A consumer's position lies outside the log: retention removed what it wanted, it was sought beyond the end, or the
 * topic was deleted and created anew. The consumer goes on only after a seek.
 */
public final class OffsetOutOfRangeException extends TidemarkException {
    private static final long serialVersionUID = 1L;

    private final String topic;
    private final int partition;
    private final long logStartOffset;
    private final long endOffset;

    /**
     * Says which position it is.
     *
     * @param text what, where and what to do
     * @param topic name
     * @param partition from 0
     * @param logStartOffset first offset kept
     * @param endOffset end of what is committed
     */
    public OffsetOutOfRangeException(String text, String topic, int partition, long logStartOffset, long endOffset) {
        super(ErrorCode.OFFSET_OUT_OF_RANGE, text, null);
        this.topic = topic;
        this.partition = partition;
        this.logStartOffset = logStartOffset;
        this.endOffset = endOffset;
    }

    /**
     * Name of the topic.
     *
     * @return the name
     */
    public String topic() {
        return topic;
    }

    /**
     * Partition of the topic.
     *
     * @return from 0
     */
    public int partition() {
        return partition;
    }

    /**
     * First offset that the leader keeps.
     *
     * @return inclusive
     */
    public long logStartOffset() {
        return logStartOffset;
    }

    /**
     * End of what is committed, as the leader knows it.
     *
     * @return exclusive
     */
    public long endOffset() {
        return endOffset;
    }
}
