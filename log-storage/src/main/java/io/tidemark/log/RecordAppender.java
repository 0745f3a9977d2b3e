package io.tidemark.log;

import io.tidemark.log.format.BatchDescriptor;
import org.jspecify.annotations.Nullable;

/**
 * Builds batches of one record and appends them, for a log that is used without a broker. The batch is built in memory
 * that is kept, and copied once. Owned by the log's owner, or guarded by its lock.
 */
final class RecordAppender {
    private static final int CAPACITY_MIN = 4096;

    private final LogState state;
    private final LogAppender appender;
    private BatchBuilder builder = new BatchBuilder(CAPACITY_MIN);

    /**
     * An appender of records.
     *
     * @param state of the log
     * @param appender of batches
     */
    RecordAppender(LogState state, LogAppender appender) {
        this.state = state;
        this.appender = appender;
    }

    /**
     * Appends a record.
     *
     * @param key null when it has none
     * @param value null when it has none
     * @return its offset
     */
    long append(byte @Nullable [] key, byte @Nullable [] value) {
        final int keyLength = key == null ? -1 : key.length;
        final int valueLength = value == null ? -1 : value.length;
        builder.reset();
        if (!builder.hasRoomFor(keyLength, valueLength)) {
            final long needed = BatchDescriptor.HEADER_LENGTH + BatchBuilder.sizeBound(keyLength, valueLength);
            if (needed > Integer.MAX_VALUE) {
                throw new InvalidBatchException("record is too large: log=" + state.partition + ", keyLength="
                        + keyLength + ", valueLength=" + valueLength + ", batchBytesMax="
                        + state.config.batchBytesMax() + "; nothing was stored");
            }
            builder = new BatchBuilder((int) needed);
        }
        builder.append(state.host.wallClock().time(), key, value);
        final int length = builder.build(-1, (short) -1, -1);
        return appender.append(builder.buffer(), 0, length, Math.max(0, state.epochs.latest()));
    }
}
