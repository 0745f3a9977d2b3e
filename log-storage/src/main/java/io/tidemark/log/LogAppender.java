package io.tidemark.log;

import io.tidemark.log.codec.Decompressor;
import io.tidemark.log.format.AppendTimeStamp;
import io.tidemark.log.format.BatchChecksum;
import io.tidemark.log.format.BatchDefect;
import io.tidemark.log.format.BatchDescriptor;
import io.tidemark.log.format.BatchValidator;
import io.tidemark.log.io.FileSystem;
import io.tidemark.log.io.FileSystem.OpenMode;
import io.tidemark.log.io.NoSpaceException;
import io.tidemark.log.segment.LogView;
import io.tidemark.log.segment.Segment;
import io.tidemark.log.segment.SegmentFileName;
import io.tidemark.log.segment.SegmentWriter;
import java.io.IOException;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Checks batches and stores them at the end of a log. Every check comes before the first stored byte. The order of the
 * stores is: bytes, read back, index, size of the segment, end of the log; each of the last three is a release store
 * that a reader's acquire load pairs with. Owned by the log's owner thread.
 */
final class LogAppender {
    private static final int RETAINED_BYTES_MAX = 64 << 10;
    private static final int GATHERED_MAX = 1 << 20;

    private final LogState state;
    private final BatchChecksum checksum = new BatchChecksum();
    private final AppendTimeStamp stamp = new AppendTimeStamp();
    private @Nullable Decompressor decompressor;
    private final boolean isGathering;
    private boolean isHeld;
    /** End of the log with what was gathered; {@link Log#NO_OFFSET} when nothing was. */
    private long gatheredEnd = Log.NO_OFFSET;

    /**
     * The appender of a log.
     *
     * @param state of the log
     */
    LogAppender(LogState state) {
        this.state = state;
        isGathering = state.config.durability() == LogDurability.FSYNCED;
    }

    /** The end of the log for who appends. */
    private long end() {
        return gatheredEnd == Log.NO_OFFSET ? state.view.endOffset() : gatheredEnd;
    }

    /** Lets what is appended from now on wait for {@link #release}, if the log gathers. */
    void hold() {
        isHeld = isGathering;
    }

    /** Writes what was gathered. */
    void release() {
        isHeld = false;
        settle();
    }

    /** Writes what was gathered, if anything was, before something else is done with the log's end. */
    void settle() {
        final SegmentWriter writer = state.writer;
        if (gatheredEnd == Log.NO_OFFSET || writer == null) {
            return;
        }
        if (state.failure != null) {
            state.requireWritable();
        }
        try {
            writer.writeGathered();
        } catch (final IOException e) {
            // Some of it may be in the file, so a full disk is a failure too: recovery cuts it.
            throw state.fail("batches cannot be written", e);
        }
        state.view.publishEnd(gatheredEnd);
        state.signal.published();
        gatheredEnd = Log.NO_OFFSET;
    }

    /**
     * Appends one batch and gives it offset and epoch.
     *
     * @param batch that holds it
     * @param index where it begins
     * @param length of it
     * @param leaderEpoch to be given to it
     * @return its base offset
     */
    long append(DirectBuffer batch, int index, int length, int leaderEpoch) {
        state.requireWritable();
        BatchDefect defect = checked(batch, index, length);
        if (defect == BatchDefect.NONE && BatchDescriptor.sizeInBytes(batch, index) != length) {
            defect = BatchDefect.BAD_LENGTH;
        }
        if (defect == BatchDefect.NONE) {
            defect = BatchValidator.checkNew(batch, index);
        }
        if (defect == BatchDefect.NONE) {
            defect = checkRecords(batch, index, length);
        }
        final long baseOffset = end();
        if (defect != BatchDefect.NONE) {
            throw refused(defect, baseOffset, index, length);
        }
        final long count = BatchDescriptor.recordCount(batch, index);
        if (baseOffset > Long.MAX_VALUE - 1 - count) {
            throw refused(BatchDefect.BAD_OFFSET, baseOffset, index, length);
        }
        startEpoch(leaderEpoch);
        final boolean isStamped = state.config.timestampType() == TimestampType.APPEND_TIME;
        store(batch, index, length, baseOffset, leaderEpoch, isStamped);
        return baseOffset;
    }

    /** Whatever the codec, no batch gets into the log as its first copy whose records a reader could not walk. */
    private BatchDefect checkRecords(DirectBuffer batch, int index, int length) {
        if (BatchDescriptor.codec(batch, index) == 0) {
            return BatchValidator.checkRecords(
                    batch, index, batch, index + BatchDescriptor.HEADER_LENGTH, index + length);
        }
        Decompressor opener = decompressor;
        if (opener == null) {
            opener = new Decompressor(RETAINED_BYTES_MAX, Compression.DECOMPRESSED_BYTES_MAX);
            decompressor = opener;
        }
        final int bytes = opener.open(batch, index, length);
        return BatchValidator.checkRecords(batch, index, opener.buffer(), 0, bytes);
    }

    /**
     * Appends batches that carry offsets and epochs of a leader.
     *
     * @param batches whole batches
     * @param index of the first
     * @param length of all
     * @param maxEpoch greatest epoch allowed
     * @return the new end of the log
     */
    long appendReplicated(DirectBuffer batches, int index, int length, int maxEpoch) {
        state.requireWritable();
        int at = index;
        int left = length;
        while (left > 0) {
            BatchDefect defect = checked(batches, at, left);
            if (defect == BatchDefect.NONE) {
                defect = BatchValidator.checkPlace(batches, at);
            }
            final long end = end();
            if (defect != BatchDefect.NONE) {
                throw refused(defect, end, at, left);
            }
            final long baseOffset = BatchDescriptor.baseOffset(batches, at);
            final int epoch = BatchDescriptor.leaderEpoch(batches, at);
            if (epoch < state.epochs.latest()) {
                // An epoch that this replica led without writing a record binds nobody; only records order epochs.
                state.changeEpochs(epochs -> epochs.truncatedTo(end));
            }
            final int latest = state.epochs.latest();
            if (baseOffset < end || epoch < latest || epoch > maxEpoch) {
                throw new InvalidBatchException("replicated batch does not continue the log: log=" + state.partition
                        + ", baseOffset=" + baseOffset + ", logEndOffset=" + end + ", leaderEpoch=" + epoch
                        + ", latestEpoch=" + latest + ", maxEpoch=" + maxEpoch
                        + "; nothing of it was stored, fetch from the log's end in the current epoch");
            }
            final int size = (int) BatchDescriptor.sizeInBytes(batches, at);
            if (epoch > latest) {
                state.changeEpochs(epochs -> epochs.with(epoch, baseOffset));
            }
            store(batches, at, size, baseOffset, epoch, false);
            at += size;
            left -= size;
        }
        return end();
    }

    private BatchDefect checked(DirectBuffer batch, int index, int length) {
        if (index < 0 || length < 0 || length > batch.capacity() - index) {
            throw new IndexOutOfBoundsException(
                    "index=" + index + ", length=" + length + ", capacity=" + batch.capacity());
        }
        final BatchDefect defect = BatchValidator.checkHeader(batch, index, length, state.config.batchBytesMax());
        return defect != BatchDefect.NONE
                ? defect
                : BatchValidator.checkCrc(batch, index, (int) BatchDescriptor.sizeInBytes(batch, index), checksum);
    }

    private InvalidBatchException refused(BatchDefect defect, long endOffset, int index, int length) {
        final String message = defect.text() + ": log=" + state.partition + ", logEndOffset=" + endOffset + ", index="
                + index + ", length=" + length + ", batchBytesMax=" + state.config.batchBytesMax()
                + "; nothing of the batch was stored, build it again";
        return defect.isCorruption() ? new CorruptBatchException(message) : new InvalidBatchException(message);
    }

    /**
     * Begins an epoch at the end of the log, in memory.
     *
     * @param leaderEpoch that begins; nothing happens when it is the latest one
     */
    void startEpoch(int leaderEpoch) {
        final int latest = state.epochs.latest();
        if (leaderEpoch < 0 || leaderEpoch < latest) {
            throw new IllegalArgumentException("leader epoch went back: log=" + state.partition + ", leaderEpoch="
                    + leaderEpoch + ", latestEpoch=" + latest + "; only a newer leader may append");
        }
        if (leaderEpoch > latest) {
            final long end = end();
            state.changeEpochs(epochs -> epochs.with(leaderEpoch, end));
        }
    }

    private void store(DirectBuffer batch, int index, int length, long baseOffset, int leaderEpoch, boolean isStamped) {
        final long lastOffset =
                baseOffset + (BatchDescriptor.lastOffset(batch, index) - BatchDescriptor.baseOffset(batch, index));
        try {
            final SegmentWriter writer = writerFor(length, baseOffset, lastOffset);
            writer.reserve(length);
            final AppendTimeStamp time = isStamped
                    ? stamp.of(batch, index, length, state.host.wallClock().time(), checksum)
                    : null;
            if (!writer.store(batch, index, length, baseOffset, leaderEpoch, time)) {
                throw state.fail("mapped memory does not hold what was stored into it", null);
            }
            writer.publish(lastOffset, length);
            if (!isGathering) {
                state.view.publishEnd(lastOffset + 1);
                state.signal.published();
                return;
            }
            gatheredEnd = lastOffset + 1;
            if (!isHeld || writer.gatheredBytes() >= GATHERED_MAX) {
                settle();
            }
        } catch (final NoSpaceException e) {
            throw state.diskFull(e);
        } catch (final IOException e) {
            throw state.fail("batch cannot be appended", e);
        } catch (final InternalError e) {
            // The page behind the mapping cannot be had. The JVM may throw this later than the access (DESIGN 2.2).
            throw state.fail("mapped memory cannot be accessed", e);
        }
    }

    private SegmentWriter writerFor(int length, long baseOffset, long lastOffset) throws IOException {
        SegmentWriter writer = state.writer;
        if (writer == null) {
            state.owner.writerOpens();
            writer = writerOf(state.view.active());
            state.writer = writer;
        }
        if (state.rollWanted) {
            state.rollWanted = false;
            if (writer.segment().size() > 0) {
                return roll(writer, length, baseOffset);
            }
        }
        return writer.mustRoll(length, lastOffset) ? roll(writer, length, baseOffset) : writer;
    }

    private SegmentWriter writerOf(Segment segment) throws IOException {
        return new SegmentWriter(
                segment,
                new SegmentWriter.Settings(
                        state.config.segmentBytes(),
                        state.config.indexIntervalBytes(),
                        LogConfig.EXTENT_BYTES_MIN,
                        state.config.extentBytes(),
                        state.reserve,
                        isGathering));
    }

    /**
     * Goes on in a new segment. It is made complete, with room for the batch, before the old one is touched: when the
     * disk is full, nothing has happened. The old tail is cut at once, so that recovery may take an uncut file in front
     * of another one for a sign that data was lost.
     */
    private SegmentWriter roll(SegmentWriter old, int length, long baseOffset) throws IOException {
        final Segment segment = Segment.empty(state.folder, baseOffset);
        final FileSystem fileSystem = state.folder.fileSystem();
        SegmentWriter writer = null;
        // Maintenance has done this long ago, unless it is behind by a segment or this is the log's first roll.
        state.folderSync.sync();
        try {
            fileSystem.open(segment.path(), OpenMode.CREATE_NEW).close();
            writer = writerOf(segment);
            writer.reserve(length);
        } catch (final IOException e) {
            undo(segment, writer);
            throw e;
        }
        settle();
        old.stop();
        old.segment().unpin();
        state.folderSync.changed();
        synchronized (state.viewLock) {
            state.view = state.view.rolled(segment);
        }
        state.writer = writer;
        return writer;
    }

    /**
     * Does what maintenance asked for.
     *
     * @return the number of things done
     */
    int doDueWork() {
        final boolean mustRoll = state.rollWanted;
        final boolean mustPark = state.parkWanted;
        state.rollWanted = false;
        state.parkWanted = false;
        if (state.closed || state.failure != null) {
            return 0;
        }
        settle();
        try {
            return (mustRoll ? rollIdle() : 0) + (mustPark ? park() : 0);
        } catch (final NoSpaceException e) {
            // Nothing happened; maintenance will ask again.
            return 0;
        } catch (final IOException e) {
            throw state.fail("active segment cannot be let go", e);
        }
    }

    /** Gives the mapping back, and lets maintenance close the file; the next append takes both again. */
    private int park() throws IOException {
        final SegmentWriter writer = state.writer;
        if (writer == null || state.flushedOffset < state.view.endOffset()) {
            return 0;
        }
        writer.stop();
        writer.segment().unpin();
        state.writer = null;
        state.parked = true;
        return 1;
    }

    /** Goes on in a new segment without appending: it gets its blocks with its first batch. */
    private int rollIdle() throws IOException {
        final LogView view = state.view;
        final Segment active = view.active();
        if (active.size() == 0) {
            return 0;
        }
        final Segment segment = Segment.empty(state.folder, view.endOffset());
        state.folder.fileSystem().open(segment.path(), OpenMode.CREATE_NEW).close();
        final SegmentWriter writer = state.writer;
        if (writer != null) {
            writer.stop();
        }
        active.unpin();
        state.folderSync.changed();
        synchronized (state.viewLock) {
            state.view = state.view.rolled(segment);
        }
        state.writer = null;
        return 1;
    }

    private void undo(Segment segment, @Nullable SegmentWriter writer) throws IOException {
        if (writer != null) {
            writer.abandon();
        }
        segment.retire();
        state.folder.fileSystem().delete(segment.path());
        state.folder.fileSystem().delete(state.folder.path(segment.baseOffset(), SegmentFileName.INDEX));
    }
}
