package io.tidemark.log;

/** An offset was asked for that is outside the log. */
public final class OffsetOutOfRangeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What was asked. */
    private final long offset;
    /** First offset kept. */
    private final long logStartOffset;
    /** End of the log. */
    private final long logEndOffset;

    /**
     * An offset outside a log.
     *
     * @param log name of the log
     * @param offset what was asked
     * @param logStartOffset first offset kept
     * @param logEndOffset end of the log, exclusive
     */
    public OffsetOutOfRangeException(String log, long offset, long logStartOffset, long logEndOffset) {
        super("offset is outside the log: log=" + log + ", offset=" + offset + ", logStartOffset=" + logStartOffset
                + ", logEndOffset=" + logEndOffset + "; ask for an offset within these bounds");
        this.offset = offset;
        this.logStartOffset = logStartOffset;
        this.logEndOffset = logEndOffset;
    }

    /**
     * What was asked.
     *
     * @return an offset
     */
    public long offset() {
        return offset;
    }

    /**
     * First offset kept when the question was answered.
     *
     * @return an offset
     */
    public long logStartOffset() {
        return logStartOffset;
    }

    /**
     * End of the log when the question was answered, exclusive.
     *
     * @return an offset
     */
    public long logEndOffset() {
        return logEndOffset;
    }
}
