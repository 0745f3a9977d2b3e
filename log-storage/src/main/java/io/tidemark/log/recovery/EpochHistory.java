package io.tidemark.log.recovery;

import io.tidemark.log.format.BatchDescriptor;
import io.tidemark.log.io.FileHandle;
import io.tidemark.log.io.FileSystem.OpenMode;
import io.tidemark.log.io.MappedFile;
import io.tidemark.log.segment.BatchScanner;
import io.tidemark.log.segment.LogView;
import io.tidemark.log.segment.Segment;
import io.tidemark.log.segment.SegmentFolder;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Loads the history of epochs of a log and proves it against the batches: the batch at each start must carry the epoch
 * and the one before it the epoch before. As epochs never go down within a log, this proves every batch in between, for
 * two look-ups per entry. A history that fails the proof is rebuilt from the headers. An epoch without records is not
 * part of it: a process that was started anew never goes on with an epoch.
 */
public final class EpochHistory {
    /** Name of the file in the log's folder; Kafka's. */
    public static final String FILE_NAME = "leader-epoch-checkpoint";

    private final SegmentFolder folder;
    private final Path path;
    private long foundBase;
    private int foundEpoch;

    /**
     * The history of one log.
     *
     * @param folder of the log
     */
    public EpochHistory(SegmentFolder folder) {
        this.folder = folder;
        this.path = folder.directory().resolve(FILE_NAME);
    }

    /**
     * Reads the file.
     *
     * @return what it says; null when it is missing, unreadable or impossible
     */
    public @Nullable LeaderEpochs load() {
        try {
            final String text = SmallFile.read(folder.fileSystem(), path);
            return text == null ? null : LeaderEpochs.parse(text);
        } catch (final IOException e) {
            // Derived from the batches: rebuilt below when it cannot be read.
            return null;
        }
    }

    /**
     * Replaces the file durably.
     *
     * @param epochs what it shall say
     * @throws IOException when it may not be durable
     */
    public void store(LeaderEpochs epochs) throws IOException {
        SmallFile.replace(folder.fileSystem(), path, epochs.encode());
    }

    /**
     * Whether the batches of a log carry the epochs that a history says.
     *
     * @param view of the log
     * @param epochs to prove
     * @return false when any batch contradicts
     */
    public boolean isProved(LogView view, LeaderEpochs epochs) {
        final long end = view.endOffset();
        final int withRecords = epochs.count();
        if (withRecords > 0 && epochs.startOffset(withRecords - 1) >= end) {
            return false;
        }
        if (!find(view, view.startOffset())) {
            return withRecords == 0;
        }
        if (withRecords == 0 || epochs.startOffset(0) > foundBase || foundEpoch != epochs.epoch(0)) {
            return false;
        }
        for (int i = 1; i < withRecords; i++) {
            final long start = epochs.startOffset(i);
            if (!find(view, start) || foundBase != start || foundEpoch != epochs.epoch(i)) {
                return false;
            }
            // In front of a gap there is no batch to ask.
            if (!find(view, start - 1) || (foundBase != start && foundEpoch != epochs.epoch(i - 1))) {
                return false;
            }
        }
        return !find(view, end - 1) || foundEpoch == epochs.epoch(withRecords - 1);
    }

    private boolean find(LogView view, long offset) {
        for (int i = view.floor(offset); i < view.segmentCount(); i++) {
            final Segment segment = view.segment(i);
            final int size = segment.size();
            final MappedFile mapping = size == 0 ? null : segment.acquire();
            if (mapping != null) {
                try {
                    final int at = segment.positionOf(mapping.buffer(), offset, size);
                    if (at < size) {
                        foundBase = BatchDescriptor.baseOffset(mapping.buffer(), at);
                        foundEpoch = BatchDescriptor.leaderEpoch(mapping.buffer(), at);
                        return true;
                    }
                } finally {
                    mapping.release();
                }
            }
        }
        return false;
    }

    /**
     * Builds the history from all batches, read through the channel.
     *
     * @param view of the log
     * @return a new history
     * @throws IOException when a segment cannot be read
     */
    public LeaderEpochs rebuild(LogView view) throws IOException {
        LeaderEpochs epochs = LeaderEpochs.EMPTY;
        for (int i = 0; i < view.segmentCount(); i++) {
            final Segment segment = view.segment(i);
            try (FileHandle file = folder.fileSystem().open(segment.path(), OpenMode.READ)) {
                final BatchScanner scanner = new BatchScanner(file, 0, segment.size(), false);
                while (scanner.next()) {
                    epochs = epochs.with(scanner.leaderEpoch(), scanner.baseOffset());
                }
            }
        }
        return epochs;
    }
}
