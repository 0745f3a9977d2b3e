package io.tidemark.log;

import io.tidemark.log.segment.SegmentWriter;
import java.io.IOException;
import java.nio.file.Path;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One log: batches of records in the order of their offsets, in segment files of one folder. It comes from a
 * {@link LogStore}, or alone from {@link #open}.
 *
 * <p><b>Threading.</b> The methods that append, begin epochs and truncate belong to one thread, the owner: the first
 * one that calls any of them. Everything else may be called by any thread. What an append stored is seen by every read
 * that begins after it.
 *
 * <p><b>Errors.</b> After a failed write or force the log has failed for good ({@link #isFailed()}): it takes nothing
 * more until it is closed and opened again. A full disk does not make it fail; see {@link DiskFullException}.
 *
 * <p><b>Cost.</b> An append is one copy into mapped memory and a checksum; a read is a look-up. Neither makes garbage.
 */
public final class Log implements AutoCloseable {
    /** Stands for an offset that is not there. */
    public static final long NO_OFFSET = -1;
    /** Stands for an epoch that is not there. */
    public static final int NO_EPOCH = -1;

    private static final TopicPartition ALONE = new TopicPartition("log", 0);

    private final LogState state;
    private final LogAppender appender;
    private final LogReader reader;
    private final LogTruncation truncation;
    private final LogFlusher flusher;
    private final RecoveryReport report;
    private @Nullable LogStore ownStore;
    private @Nullable Thread ownerThread;

    /**
     * A log whose folder was opened.
     *
     * @param state of the log
     * @param report what the opening had to do
     */
    Log(LogState state, RecoveryReport report) {
        this.state = state;
        this.report = report;
        appender = new LogAppender(state);
        reader = new LogReader(state);
        truncation = new LogTruncation(state);
        flusher = new LogFlusher(state);
    }

    /**
     * Opens a log that is used alone, or makes it. The folder is a data folder of its own, which no other process and
     * nobody else in this JVM may have open. Closing the log closes the folder.
     *
     * @param dir the data folder, made when it is not there
     * @param config settings
     * @return the log
     * @throws StorageException when the folder is in use, cannot be read or is damaged
     */
    public static Log open(Path dir, LogConfig config) {
        final LogStore store = LogStore.open(dir, LogStoreConfig.defaults());
        try {
            final Log log = store.openLog(ALONE, store.topicIdOf(ALONE).orElseGet(store::newId), config);
            log.ownStore = store;
            return log;
        } catch (final RuntimeException e) {
            try {
                store.close();
            } catch (final StorageException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    private boolean isOwner() {
        final Thread current = Thread.currentThread();
        if (ownerThread == null) {
            ownerThread = current;
        }
        return ownerThread == current;
    }

    /**
     * Names the log.
     *
     * @return topic and partition
     */
    public TopicPartition partition() {
        return state.partition;
    }

    /**
     * First offset kept.
     *
     * @return an offset, the end of the log when it is empty
     */
    public long logStartOffset() {
        return state.view.startOffset();
    }

    /**
     * Next offset to be written.
     *
     * @return an offset, exclusive end of what can be read
     */
    public long logEndOffset() {
        return state.view.endOffset();
    }

    /**
     * End of what survives a power failure.
     *
     * @return an offset, exclusive, at most the log's end
     */
    public long flushedOffset() {
        return state.flushedOffset;
    }

    /**
     * The last epoch that began.
     *
     * @return an epoch, {@link #NO_EPOCH} when none did
     */
    public int latestEpoch() {
        return state.epochs.latest();
    }

    /**
     * Whether a write or force failed, so that the log takes nothing more.
     *
     * @return true until the log is closed and opened again
     */
    public boolean isFailed() {
        return state.failure != null;
    }

    /**
     * What the opening of this log had to do.
     *
     * @return a report
     */
    public RecoveryReport recoveryReport() {
        return report;
    }

    /**
     * How often an append to the active segment had to preallocate because {@link LogStore#maintain()} was behind.
     *
     * @return a count
     */
    public long preallocationStalls() {
        final SegmentWriter writer = state.writer;
        return writer == null ? 0 : writer.stalls();
    }

    /**
     * Appends one batch as leader: the log's copy gets the log's end as base offset, and the epoch. Owner thread.
     *
     * @param batch that holds it: a byte array or a direct byte buffer, never a mapped file
     * @param index where it begins
     * @param length of it; exactly one batch
     * @param leaderEpoch 0 or more, not below the latest; a new one begins with this batch
     * @return the base offset
     * @throws InvalidBatchException when the bytes are not one good batch; nothing was stored
     * @throws DiskFullException when there is no space; nothing was stored
     * @throws StorageException when the log failed before or fails now
     */
    public long append(DirectBuffer batch, int index, int length, int leaderEpoch) {
        assert isOwner() : "appended by " + Thread.currentThread() + ", owned by " + ownerThread;
        return appender.append(batch, index, length, leaderEpoch);
    }

    /**
     * Appends batches as follower: they keep the offsets and epochs that their leader gave them. Owner thread.
     *
     * @param batches one or more whole batches: a byte array or a direct byte buffer, never a mapped file
     * @param index where the first begins
     * @param length of all
     * @param maxEpoch greatest epoch that a batch may carry
     * @return the new end of the log
     * @throws InvalidBatchException when a batch is no good, its offset is below the log's end, or its epoch is above
     *     {@code maxEpoch} or below the latest; nothing of that batch was stored, but those before it were
     * @throws DiskFullException when there is no space; the batches before were stored
     * @throws StorageException when the log failed before or fails now
     */
    public long appendReplicated(DirectBuffer batches, int index, int length, int maxEpoch) {
        assert isOwner() : "appended by " + Thread.currentThread() + ", owned by " + ownerThread;
        return appender.appendReplicated(batches, index, length, maxEpoch);
    }

    /**
     * Begins an epoch at the log's end: in memory at once, on the disk with the next maintenance. Owner thread.
     *
     * @param leaderEpoch not below the latest; nothing happens when it is the latest
     * @throws IllegalArgumentException when it is below the latest
     * @throws StorageException when the log failed before
     */
    public void startEpoch(int leaderEpoch) {
        assert isOwner() : "called by " + Thread.currentThread() + ", owned by " + ownerThread;
        state.requireWritable();
        appender.startEpoch(leaderEpoch);
    }

    /**
     * Where an epoch ends. Source: KIP-279.
     *
     * @param epoch asked for
     * @return the greatest known epoch that is not above it and its end; {@link #NO_EPOCH} and the log's start when
     *     there is none
     */
    public EpochEnd endOffsetForEpoch(int epoch) {
        return state.epochs.endOf(epoch, logStartOffset(), logEndOffset());
    }

    /**
     * Removes every batch that holds an offset at or above the one given. Old bytes are not overwritten: leases on them
     * stay good. Owner thread; blocks for a few forces.
     *
     * @param offset the new end; when it lies within a batch, the log ends before that batch; below the log's start
     *     everything goes and the log begins there
     * @return the new end, the old one when it is not above {@code offset}
     * @throws StorageException when the log failed before or fails now
     */
    public long truncateTo(long offset) {
        assert isOwner() : "truncated by " + Thread.currentThread() + ", owned by " + ownerThread;
        requireOffset(offset);
        return truncation.truncateTo(offset);
    }

    /**
     * Removes everything; the log is empty and begins and ends at an offset. Owner thread; blocks for a few forces.
     *
     * @param offset 0 or more
     * @throws StorageException when the log failed before or fails now
     */
    public void truncateFullyAndStartAt(long offset) {
        assert isOwner() : "truncated by " + Thread.currentThread() + ", owned by " + ownerThread;
        requireOffset(offset);
        truncation.restartAt(offset);
    }

    private static void requireOffset(long offset) {
        if (offset < 0) {
            throw new IllegalArgumentException("offset is negative: offset=" + offset + "; offsets count from 0");
        }
    }

    /**
     * Forces everything up to the end of the log, as it is now, to the disk. Any thread; blocks.
     *
     * @throws StorageException when the log failed before or fails now; then nobody knows what is on the disk
     */
    public void flush() {
        flusher.flush();
    }

    /**
     * Reads whole batches in place, from the one that holds an offset on. Any thread; no copy, no garbage.
     *
     * @param fromOffset that the first batch holds, or the next one after a gap
     * @param maxBytes of all batches; one batch is read even if it is larger
     * @param limitOffset above the last offset of the last batch
     * @param into takes the lease, after it has given back the one that it held
     * @return false when no batch is to be read; the slice holds no lease then
     * @throws OffsetOutOfRangeException when the offset is below the log's start or above its end
     * @throws StorageException when the disk cannot read or the log is damaged
     */
    public boolean read(long fromOffset, int maxBytes, long limitOffset, LogSlice into) {
        return reader.read(fromOffset, maxBytes, limitOffset, into);
    }

    /**
     * Finds the first record whose timestamp is at or above the one given. Timestamps need not grow with offsets, so
     * records behind it may be older. Any thread; looks into the time index, then at up to one index interval of
     * batches, and more while their timestamps do not grow; the first look into a segment that was written by somebody
     * else reads all its headers.
     *
     * @param timestamp milliseconds since the epoch of Unix
     * @return its offset, the first one of its batch when the batch is compressed and the library of its codec is not
     *     there; {@link #NO_OFFSET} when every record is older
     * @throws StorageException when the disk cannot read or the log is damaged
     */
    public long offsetForTimestamp(long timestamp) {
        return reader.offsetForTimestamp(timestamp);
    }

    /**
     * The greatest timestamp in the log's segments. Any thread; the cost is that of {@link #offsetForTimestamp}.
     *
     * @return milliseconds since the epoch of Unix, -1 when no record has a timestamp; a record below the log's start
     *     counts as long as its segment is there
     * @throws StorageException when the disk cannot read
     */
    public long maxTimestamp() {
        return reader.maxTimestamp();
    }

    /**
     * Calls a handler for each batch that holds an offset of a range, in order. Any thread.
     *
     * @param fromOffset first offset, between the log's start and its end
     * @param toOffset end, exclusive; may be above the log's end
     * @param handler called with a view that is valid during the call only
     * @throws OffsetOutOfRangeException when {@code fromOffset} is below the log's start or above its end
     */
    public void forEachBatch(long fromOffset, long toOffset, BatchHandler handler) {
        reader.forEachBatch(fromOffset, toOffset, handler);
    }

    /**
     * Does what need not be done by the appender: see {@link LogStore#maintain()}. For a log used alone, by one thread
     * of the host; a log of a store is maintained by its store.
     *
     * @return the number of things done
     */
    public int maintain() {
        final LogStore store = ownStore;
        return store == null ? 0 : store.maintain();
    }

    /**
     * One duty cycle for this log.
     *
     * @return the number of things done
     * @throws IOException when the disk failed
     */
    int maintainNow() throws IOException {
        return flusher.maintain();
    }

    /**
     * Stops the log for good.
     *
     * @param cause what was caught
     */
    void fail(Throwable cause) {
        state.fail("maintenance failed", cause);
    }

    /**
     * Forces everything, cuts unused tails, writes indexes and history, and gives mappings and files back; leases go
     * on. The owner has stopped. A second call does nothing.
     *
     * @throws StorageException when not everything could be made durable; the log is closed nevertheless
     */
    @Override
    public void close() {
        final StorageException problem;
        synchronized (state.flushLock) {
            if (state.closed) {
                return;
            }
            state.closed = true;
            problem = finish();
        }
        state.owner.closed(this);
        final LogStore store = ownStore;
        if (store != null) {
            store.close();
        }
        if (problem != null) {
            throw problem;
        }
    }

    /**
     * Lets go of files and mappings as the end of the process would: nothing is forced, cut or noted. The writer must
     * have stopped.
     *
     * @throws IOException when a file cannot be closed
     */
    void abandon() throws IOException {
        synchronized (state.flushLock) {
            if (!state.closed) {
                state.closed = true;
                flusher.retireAll();
            }
        }
        state.owner.closed(this);
    }

    private @Nullable StorageException finish() {
        StorageException problem = null;
        try {
            if (state.failure == null) {
                flusher.finish();
            }
        } catch (final IOException | StorageException e) {
            problem = state.fail("log cannot be closed cleanly", e);
        }
        try {
            flusher.retireAll();
        } catch (final IOException e) {
            problem = problem != null ? problem : state.fail("files cannot be closed", e);
        }
        return problem;
    }
}
