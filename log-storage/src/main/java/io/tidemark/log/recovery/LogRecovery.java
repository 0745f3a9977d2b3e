package io.tidemark.log.recovery;

import io.tidemark.log.CorruptLogException;
import io.tidemark.log.Log;
import io.tidemark.log.RecoveryReport;
import io.tidemark.log.format.BatchDefect;
import io.tidemark.log.io.FileHandle;
import io.tidemark.log.io.FileSystem;
import io.tidemark.log.io.FileSystem.OpenMode;
import io.tidemark.log.segment.BatchScanner;
import io.tidemark.log.segment.DyingFiles;
import io.tidemark.log.segment.IndexBuilder;
import io.tidemark.log.segment.LogView;
import io.tidemark.log.segment.OffsetIndex;
import io.tidemark.log.segment.Segment;
import io.tidemark.log.segment.SegmentFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Opens the folder of a log. After a clean stop only the headers behind the last index entry are looked at. Otherwise
 * every batch of the segments at and behind the recovery point is read through the channel and checked for order, epoch
 * order and checksum; behind the last good one the log is cut, forced, and what follows is removed back to front. A bad
 * batch below the recovery point is damage and is reported, not cut. Used once, by one thread.
 */
public final class LogRecovery {
    private final SegmentFolder folder;
    private final FileSystem fileSystem;
    private final DyingFiles dying;
    private final LastStop lastStop;
    private final long recoveryPoint;
    private final EpochHistory history;
    private final List<FoundSegment> found = new ArrayList<>();
    private LeaderEpochs scannedEpochs = LeaderEpochs.EMPTY;
    private long startOffset;
    private long expectedOffset;
    private int lastEpoch = Log.NO_EPOCH;
    private long scannedBytes;
    private long cutBytes;
    private int droppedSegments;

    /**
     * A recovery that has not begun.
     *
     * @param folder of the log; it exists
     * @param dying what is still to be done with files that are leased
     * @param lastStop how the log was left
     * @param recoveryPoint end of what is said to be durable
     */
    public LogRecovery(SegmentFolder folder, DyingFiles dying, LastStop lastStop, long recoveryPoint) {
        this.folder = folder;
        this.fileSystem = folder.fileSystem();
        this.dying = dying;
        this.lastStop = lastStop;
        this.recoveryPoint = recoveryPoint;
        this.history = new EpochHistory(folder);
    }

    /**
     * Opens the log.
     *
     * @param logStartOffset where the log was told to begin; it does not begin behind the end that is found
     * @return the log, with at least one segment
     * @throws IOException when the disk fails
     * @throws CorruptLogException when there is damage below the recovery point
     */
    public RecoveredLog open(long logStartOffset) throws IOException {
        startOffset = logStartOffset;
        findSegments();
        if (found.isEmpty()) {
            return openEmpty();
        }
        RecoveredLog log = lastStop == LastStop.CLEAN ? openCleanly() : null;
        if (log == null) {
            log = recover();
        }
        return log;
    }

    private RecoveredLog openEmpty() throws IOException {
        final Segment segment = Segment.empty(folder, startOffset);
        fileSystem.open(segment.path(), OpenMode.CREATE_NEW).close();
        final LogView view = new LogView(new Segment[] {segment}, 0, startOffset, startOffset);
        return new RecoveredLog(view, LeaderEpochs.EMPTY, true, startOffset, RecoveryReport.NOTHING);
    }

    private void findSegments() throws IOException {
        for (final Path log : new FolderTidying(folder, dying).segmentFiles()) {
            final FoundSegment segment = new FoundSegment(folder, log);
            final TruncationMark mark = TruncationMark.read(fileSystem, segment.markPath());
            final long size = fileSystem.sizeOf(log);
            if (size > Integer.MAX_VALUE) {
                throw new CorruptLogException("segment file is larger than any segment: file=" + log + ", sizeBytes="
                        + size + "; restore the file or fetch the log from another replica");
            }
            segment.size = (int) size;
            if (mark != null) {
                segment.size = (int) Math.min(size, mark.sizeBytes());
                segment.cut(dying, segment.size, mark.endOffset());
            }
            found.add(segment);
        }
    }

    /** Believes sizes and looks at the last headers; null when they do not fit. */
    private @Nullable RecoveredLog openCleanly() throws IOException {
        final FoundSegment last = found.get(found.size() - 1);
        last.load();
        if (!findEnd(last)) {
            // An index whose last entry is wrong says nothing about the batches.
            last.rebuild();
            if (!findEnd(last)) {
                return null;
            }
        }
        final LogView view = view(true);
        final LeaderEpochs stored = history.load();
        if (stored != null) {
            final LeaderEpochs epochs = stored.truncatedTo(view.endOffset()).startingAt(view.startOffset());
            if (history.isProved(view, epochs)) {
                final boolean isStored = epochs.count() == stored.count();
                return new RecoveredLog(view, epochs, isStored, view.endOffset(), RecoveryReport.NOTHING);
            }
        }
        return new RecoveredLog(view, history.rebuild(view), false, view.endOffset(), RecoveryReport.NOTHING);
    }

    /** Goes from the last index entry to the end of the segment; false when there are no batches all the way. */
    private boolean findEnd(FoundSegment last) throws IOException {
        expectedOffset = last.baseOffset;
        try (FileHandle file = fileSystem.open(last.path, OpenMode.READ)) {
            final long entry = last.lastEntry();
            final int from = entry == OffsetIndex.NO_ENTRY ? 0 : OffsetIndex.position(entry);
            final BatchScanner scanner = new BatchScanner(file, from, last.size, false);
            boolean first = entry != OffsetIndex.NO_ENTRY;
            while (scanner.next()) {
                if (first && scanner.lastOffset() - last.baseOffset != OffsetIndex.relativeOffset(entry)) {
                    return false;
                }
                first = false;
                expectedOffset = scanner.lastOffset() + 1;
            }
            return scanner.position() == last.size;
        }
    }

    private LogView view(boolean closedAreSealed) {
        final Segment[] segments = new Segment[found.size()];
        for (int i = 0; i < segments.length; i++) {
            final FoundSegment each = found.get(i);
            final boolean sealed = i < segments.length - 1 && (closedAreSealed || !each.isScanned());
            segments[i] = new Segment(folder, each.baseOffset, each.size, each.index, each.times, sealed);
            if (lastStop == LastStop.PROCESS_ENDED && !sealed) {
                segments[i].doubt(each.doubtFrom, each.size);
            }
        }
        final long start = Math.max(segments[0].baseOffset(), Math.min(startOffset, expectedOffset));
        return new LogView(segments, 0, start, expectedOffset);
    }

    private RecoveredLog recover() throws IOException {
        int first = 0;
        while (first < found.size() - 1 && found.get(first + 1).baseOffset <= recoveryPoint) {
            first++;
        }
        final long scanStart = found.get(first).baseOffset;
        expectedOffset = scanStart;
        for (int i = first; i < found.size(); i++) {
            if (!scan(i)) {
                drop(i + 1);
            }
        }
        dropEmptyEnd();
        expectedOffset = Math.max(expectedOffset, found.get(found.size() - 1).baseOffset);
        fileSystem.syncDirectory(folder.directory());
        final LogView view = view(false);
        final LeaderEpochs stored = history.load();
        final LeaderEpochs epochs = epochsAfterScan(view, stored, scanStart);
        final RecoveryReport report = new RecoveryReport(true, scannedBytes, cutBytes, droppedSegments);
        return new RecoveredLog(view, epochs, false, Math.min(recoveryPoint, view.endOffset()), report);
    }

    /** What the file said about the part that was not scanned, and what the scan saw. */
    private LeaderEpochs epochsAfterScan(LogView view, @Nullable LeaderEpochs stored, long scanStart)
            throws IOException {
        LeaderEpochs epochs = stored == null ? LeaderEpochs.EMPTY : stored.truncatedTo(scanStart);
        for (int i = 0; i < scannedEpochs.count(); i++) {
            epochs = epochs.with(scannedEpochs.epoch(i), scannedEpochs.startOffset(i));
        }
        epochs = epochs.startingAt(view.startOffset());
        return history.isProved(view, epochs) ? epochs : history.rebuild(view);
    }

    /** Checks one segment; false when nothing behind it may stay. */
    private boolean scan(int number) throws IOException {
        final FoundSegment segment = found.get(number);
        final boolean isLast = number == found.size() - 1;
        final long nextBase = isLast ? Long.MAX_VALUE : found.get(number + 1).baseOffset;
        final IndexBuilder builder =
                new IndexBuilder(segment.baseOffset, folder.indexBytesMax(), folder.indexIntervalBytes());
        segment.index = builder.index();
        segment.times = builder.times();
        try (FileHandle file = fileSystem.open(segment.path, OpenMode.READ)) {
            final BatchScanner scanner = new BatchScanner(file, 0, segment.size, true);
            String problem = null;
            while (problem == null && scanner.next()) {
                if (scanner.baseOffset() >= nextBase) {
                    // A dead tail: the truncation that began the next segment left it.
                    cut(segment, (int) scanner.position());
                    return true;
                }
                problem = orderProblem(scanner, nextBase);
                if (problem == null) {
                    builder.add(
                            scanner.lastOffset(),
                            (int) scanner.position(),
                            scanner.sizeInBytes(),
                            scanner.maxTimestamp());
                    scannedEpochs = scannedEpochs.with(scanner.leaderEpoch(), scanner.baseOffset());
                    lastEpoch = scanner.leaderEpoch();
                    expectedOffset = scanner.lastOffset() + 1;
                    if (expectedOffset <= recoveryPoint) {
                        segment.doubtFrom = (int) scanner.position() + scanner.sizeInBytes();
                    }
                    scannedBytes += scanner.sizeInBytes();
                }
            }
            final int end = (int) scanner.position();
            if (problem == null && scanner.defect() == BatchDefect.NONE) {
                return !isHole(nextBase);
            }
            refuseDamage(segment, scanner, problem, isLast);
            cut(segment, end);
            return false;
        } finally {
            builder.finish();
        }
    }

    private @Nullable String orderProblem(BatchScanner scanner, long nextBase) {
        if (scanner.baseOffset() < expectedOffset) {
            return "base offset " + scanner.baseOffset() + " is below the end " + expectedOffset;
        }
        if (scanner.lastOffset() >= nextBase) {
            return "last offset " + scanner.lastOffset() + " reaches into the next segment " + nextBase;
        }
        return scanner.leaderEpoch() < lastEpoch
                ? "leader epoch " + scanner.leaderEpoch() + " is below the one before " + lastEpoch
                : null;
    }

    /** Whether a whole segment may have been lost in front of the next one. Offsets may have gaps otherwise. */
    private boolean isHole(long nextBase) {
        return lastStop == LastStop.MACHINE_ENDED
                && nextBase != Long.MAX_VALUE
                && nextBase > expectedOffset
                && nextBase > recoveryPoint;
    }

    private void refuseDamage(FoundSegment segment, BatchScanner scanner, @Nullable String problem, boolean isLast)
            throws IOException {
        if (expectedOffset >= recoveryPoint) {
            return;
        }
        final long position = scanner.position();
        final String what = problem != null ? problem : scanner.defect().text();
        // A recovery point that is ahead of a log with a clean end is a wrong recovery point (ST-05), not damage.
        if (!isLast || !scanner.isZeroFrom(position)) {
            throw new CorruptLogException("damage below the recovery point: file=" + segment.path + ", position="
                    + position + ", offset=" + expectedOffset + ", recoveryPoint=" + recoveryPoint + ", problem=" + what
                    + "; nothing was cut; fetch the log from another replica");
        }
    }

    private void cut(FoundSegment segment, int size) throws IOException {
        cutBytes += segment.size - (long) size;
        segment.size = size;
        segment.cut(dying, size, expectedOffset);
    }

    private void drop(int from) throws IOException {
        while (found.size() > from) {
            final FoundSegment last = found.remove(found.size() - 1);
            last.delete();
            fileSystem.syncDirectory(folder.directory());
            droppedSegments++;
        }
    }

    /** A segment that was begun for a batch that never came: the log does not end at its base. */
    private void dropEmptyEnd() throws IOException {
        while (found.size() > 1) {
            final FoundSegment last = found.get(found.size() - 1);
            if (last.size > 0 || last.baseOffset <= expectedOffset) {
                return;
            }
            drop(found.size() - 1);
        }
    }
}
