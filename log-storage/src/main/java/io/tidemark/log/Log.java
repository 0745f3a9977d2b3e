package io.tidemark.log;

import io.tidemark.log.segment.LogView;
import io.tidemark.log.segment.SegmentWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.AgentRunner;
import org.jspecify.annotations.Nullable;

/**
 * One log: batches of records in the order of their offsets, in segment files of one folder. It comes from a
 * {@link LogStore}, or alone from {@link #open}.
 *
 * <p><b>Threading.</b> The methods that append, begin epochs and truncate belong to one thread, the owner: the first
 * one that calls any of them, until it calls {@link #giveUp()}. Everything else may be called by any thread. What an
 * append stored is seen by every read that begins after it. Maintenance sometimes wants the owner to do something with
 * the active segment while nothing is appended, so that old records go and files are closed: an owner that may be idle
 * for long calls {@link #doOwnerWork()} when {@link #hasOwnerWork()} says so; the next append does it otherwise.
 *
 * <p><b>Errors.</b> After a failed write or force the log has failed for good ({@link #isFailed()}): it takes nothing
 * more until it is closed and opened again. A full disk does not make it fail; see {@link DiskFullException}.
 *
 * <p><b>Cost.</b> An append is one copy and a checksum; a read is a look-up. Neither makes garbage.
 */
public final class Log implements AutoCloseable {
    /** Stands for an offset that is not there. */
    public static final long NO_OFFSET = -1;
    /** Stands for an epoch that is not there. */
    public static final int NO_EPOCH = -1;

    private final LogState state;
    private final LogAppender appender;
    private final RecordAppender records;
    private final LogReader reader;
    private final LogTruncation truncation;
    private final LogFlusher flusher;
    private final LogRetention retention;
    private final LogOwnership ownership;
    private final LogMaintenance maintenance;
    private final RecoveryReport report;
    private @Nullable LogStore ownStore;
    private @Nullable AgentRunner ownMaintenance;

    /**
     * A log whose folder was opened.
     *
     * @param state of the log
     * @param report what the opening had to do
     * @param isShared whether any thread may append
     */
    Log(LogState state, RecoveryReport report, boolean isShared) {
        this.state = state;
        this.report = report;
        appender = new LogAppender(state);
        records = new RecordAppender(state, appender);
        reader = new LogReader(state);
        truncation = new LogTruncation(state);
        flusher = new LogFlusher(state);
        retention = new LogRetention(state);
        ownership = new LogOwnership(state.partition, isShared);
        maintenance =
                new LogMaintenance(this, state, new LogMaintenance.Parts(appender, flusher, retention, ownership));
    }

    /**
     * Opens a log that is used alone, or makes it, with the defaults. Any thread may append to it, and a thread of its
     * own does the maintenance. The folder is a data folder of its own, which no other process and nobody else in this
     * JVM may have open. Closing the log ends the thread and closes the folder.
     *
     * @param dir the data folder, made when it is not there
     * @return the log
     * @throws StorageException when the folder is in use, cannot be read or is damaged
     */
    public static Log open(Path dir) {
        return OwnMaintenance.openAlone(dir, LogConfig.defaults(), true);
    }

    /**
     * Opens a log that is used alone, or makes it. One thread appends, and the caller has {@link #maintain()} called.
     * The folder is a data folder of its own, which no other process and nobody else in this JVM may have open. Closing
     * the log closes the folder.
     *
     * @param dir the data folder, made when it is not there
     * @param config settings
     * @return the log
     * @throws StorageException when the folder is in use, cannot be read or is damaged
     */
    public static Log open(Path dir, LogConfig config) {
        return OwnMaintenance.openAlone(dir, config, false);
    }

    /**
     * Makes the log one that is used alone.
     *
     * @param store that it closes
     * @param runner of its maintenance, null when its user maintains it
     */
    void own(LogStore store, @Nullable AgentRunner runner) {
        ownStore = store;
        ownMaintenance = runner;
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
     * Settings of the log.
     *
     * @return what it was opened with
     */
    public LogConfig config() {
        return state.config;
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
     * The size of the log.
     *
     * @return bytes of all batches that are kept, those of a first segment included that lie before the log's start
     */
    public long sizeBytes() {
        final LogView view = state.view;
        long bytes = 0;
        for (int i = 0; i < view.segmentCount(); i++) {
            bytes += view.segment(i).size();
        }
        return bytes;
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
        ownership.enter();
        try {
            return appender.append(batch, index, length, leaderEpoch);
        } finally {
            ownership.exit();
        }
    }

    /**
     * Appends one record without a key, see {@link #append(byte[], byte[])}.
     *
     * @param value of the record
     * @return its offset
     */
    public long append(byte[] value) {
        return append(null, value);
    }

    /**
     * Appends one record, in a batch of its own and in the latest epoch. Readers see it at once; {@link #flush()} makes
     * it survive a power failure. Owner thread, or any when the log was opened by {@link #open(Path)}.
     *
     * @param key null when it has none
     * @param value null says that the key was deleted
     * @return its offset
     * @throws InvalidBatchException when it is larger than {@link LogConfig#batchBytesMax()}; nothing was stored
     * @throws DiskFullException when there is no space; nothing was stored
     * @throws StorageException when the log failed before or fails now
     */
    public long append(byte @Nullable [] key, byte @Nullable [] value) {
        ownership.enter();
        try {
            return records.append(key, value);
        } finally {
            ownership.exit();
        }
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
        ownership.enter();
        try {
            return appender.appendReplicated(batches, index, length, maxEpoch);
        } finally {
            ownership.exit();
        }
    }

    /**
     * Begins an epoch at the log's end: in memory at once, on the disk with the next maintenance. Owner thread.
     *
     * @param leaderEpoch not below the latest; nothing happens when it is the latest
     * @throws IllegalArgumentException when it is below the latest
     * @throws StorageException when the log failed before
     */
    public void startEpoch(int leaderEpoch) {
        ownership.enter();
        try {
            state.requireWritable();
            appender.startEpoch(leaderEpoch);
        } finally {
            ownership.exit();
        }
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
        requireOffset(offset);
        ownership.enter();
        try {
            appender.settle();
            return truncation.truncateTo(offset);
        } finally {
            ownership.exit();
        }
    }

    /**
     * Removes everything; the log is empty and begins and ends at an offset. Owner thread; blocks for a few forces.
     *
     * @param offset 0 or more
     * @throws StorageException when the log failed before or fails now
     */
    public void truncateFullyAndStartAt(long offset) {
        requireOffset(offset);
        ownership.enter();
        try {
            appender.settle();
            truncation.restartAt(offset);
        } finally {
            ownership.exit();
        }
    }

    /**
     * Lets an {@link LogDurability#FSYNCED} log gather what is appended until {@link #releaseAppends()}, so that many
     * batches are written by one call. Nothing of it is seen by readers before, and if the write fails, all of it has
     * failed. Other logs do not gather. Owner thread.
     */
    public void holdAppends() {
        ownership.enter();
        try {
            appender.hold();
        } finally {
            ownership.exit();
        }
    }

    /**
     * Writes what was gathered since {@link #holdAppends()} and shows it to readers; does not force it. Owner thread.
     *
     * @throws StorageException when the log failed before or fails now
     */
    public void releaseAppends() {
        ownership.enter();
        try {
            appender.release();
        } finally {
            ownership.exit();
        }
    }

    /**
     * Lets another thread become the owner: the next one that calls a method of the owner. The owner itself calls this
     * when it stops; nothing happens when another thread does.
     */
    public void giveUp() {
        ownership.giveUp();
    }

    /**
     * Whether maintenance left something for the owner to do. Any thread.
     *
     * @return true until {@link #doOwnerWork()} or an append did it
     */
    public boolean hasOwnerWork() {
        return state.rollWanted || state.parkWanted;
    }

    /**
     * Does what maintenance left for the owner: rolls an idle segment that is to be deleted, gives back the mapping of
     * one that others need more. Owner thread; touches files, but forces nothing.
     *
     * @return the number of things done
     * @throws StorageException when the log failed before or fails now
     */
    public int doOwnerWork() {
        ownership.enter();
        try {
            return appender.doDueWork();
        } finally {
            ownership.exit();
        }
    }

    /**
     * Removes all records below an offset for good. The log begins there from now on, after any crash too; whole
     * segments are deleted at once, and the part of a segment when the rest of it goes. Leases stay good. Any thread;
     * blocks for a few forces.
     *
     * @param offset the new start; nothing happens when it is not above the log's start
     * @return the log's start
     * @throws OffsetOutOfRangeException when it is above the log's end, or above what may be deleted (the high
     *     watermark); nothing was removed
     * @throws StorageException when the log failed before or fails now
     */
    public long deleteRecordsBefore(long offset) {
        requireOffset(offset);
        return retention.deleteBefore(offset, flusher);
    }

    private static void requireOffset(long offset) {
        if (offset < 0) {
            throw new IllegalArgumentException("offset is negative: offset=" + offset + "; offsets count from 0");
        }
    }

    /**
     * Forces the log up to an offset at least. When several threads ask at the same time, one force serves all of them.
     * Any thread; blocks.
     *
     * @param upToOffset exclusive; nothing happens when it is forced already
     * @throws IllegalArgumentException when it is above the log's end
     * @throws StorageException when the log failed before or fails now; then nobody knows what is on the disk
     */
    public void flush(long upToOffset) {
        flusher.flush(upToOffset);
    }

    /**
     * Forces everything up to the end of the log, as it is now, to the disk. Any thread; blocks.
     *
     * @throws StorageException when the log failed before or fails now; then nobody knows what is on the disk
     */
    public void flush() {
        flusher.flush(state.view.endOffset());
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
     * Reads records as copies; a {@link #tail} with a handler copies nothing. Any thread.
     *
     * @param fromOffset that the first record has, or the next one after a gap
     * @param recordsMax most records
     * @return records in the order of their offsets, empty at the end of the log
     * @throws OffsetOutOfRangeException when the offset is below the log's start or above its end
     * @throws StorageException when the disk cannot read or the log is damaged
     */
    public List<LogRecord> read(long fromOffset, int recordsMax) {
        final List<LogRecord> found = new ArrayList<>();
        try (LogTail tail = tail(fromOffset)) {
            while (found.size() < recordsMax && tail.advance()) {
                found.add(tail.take());
            }
        }
        return found;
    }

    /**
     * Follows the log. Any thread.
     *
     * @param fromOffset first offset wanted, between the log's start and its end
     * @return a tail, to be closed by the caller
     * @throws IllegalStateException when the log is closed
     */
    public LogTail tail(long fromOffset) {
        state.requireOpen();
        return new LogTail(this, state, fromOffset);
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
     * What the store's maintenance does with this log.
     *
     * @return its maintenance
     */
    LogMaintenance maintenance() {
        return maintenance;
    }

    /**
     * Forces everything, cuts unused tails, writes indexes and history, and gives mappings and files back; leases go
     * on. The owner has stopped. A second call does nothing.
     *
     * @throws StorageException when not everything could be made durable; the log is closed nevertheless
     */
    @Override
    public void close() {
        final AgentRunner runner = ownMaintenance;
        if (runner != null) {
            runner.close();
        }
        final StorageException problem;
        synchronized (state.flushLock) {
            if (state.closed) {
                return;
            }
            state.closed = true;
            problem = maintenance.finish();
        }
        state.signal.published();
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
        state.signal.published();
        state.owner.closed(this);
    }
}
