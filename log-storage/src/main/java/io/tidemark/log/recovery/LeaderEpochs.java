package io.tidemark.log.recovery;

import io.tidemark.log.EpochEnd;
import io.tidemark.log.Log;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The history of a log's leader epochs: which epoch began at which offset. Both grow strictly. Immutable, because it
 * changes rarely and is read by any thread. Its file has Kafka's layout: a line "0", a line with the number of entries,
 * then lines of epoch and start offset.
 */
public final class LeaderEpochs {
    /** No epoch yet. */
    public static final LeaderEpochs EMPTY = new LeaderEpochs(new int[0], new long[0]);

    private final int[] epochs;
    private final long[] starts;

    private LeaderEpochs(int[] epochs, long[] starts) {
        this.epochs = epochs;
        this.starts = starts;
    }

    /**
     * The number of entries.
     *
     * @return a count
     */
    public int count() {
        return epochs.length;
    }

    /**
     * The epoch of an entry.
     *
     * @param number 0 is the oldest
     * @return an epoch
     */
    public int epoch(int number) {
        return epochs[number];
    }

    /**
     * The first offset of an entry.
     *
     * @param number 0 is the oldest
     * @return an offset
     */
    public long startOffset(int number) {
        return starts[number];
    }

    /**
     * The last epoch that began.
     *
     * @return an epoch, {@link Log#NO_EPOCH} when there is none
     */
    public int latest() {
        return epochs.length == 0 ? Log.NO_EPOCH : epochs[epochs.length - 1];
    }

    /**
     * The history with one more epoch. Earlier epochs that would begin at or after it had no records and go.
     *
     * @param epoch that begins
     * @param startOffset where it begins
     * @return this when the epoch is not above the latest
     */
    public LeaderEpochs with(int epoch, long startOffset) {
        if (epoch <= latest()) {
            return this;
        }
        int kept = epochs.length;
        while (kept > 0 && starts[kept - 1] >= startOffset) {
            kept--;
        }
        final int[] moreEpochs = Arrays.copyOf(epochs, kept + 1);
        final long[] moreStarts = Arrays.copyOf(starts, kept + 1);
        moreEpochs[kept] = epoch;
        moreStarts[kept] = startOffset;
        return new LeaderEpochs(moreEpochs, moreStarts);
    }

    /**
     * The history without what begins at or after an offset.
     *
     * @param endOffset new end of the log
     * @return this when nothing begins there
     */
    public LeaderEpochs truncatedTo(long endOffset) {
        int kept = epochs.length;
        while (kept > 0 && starts[kept - 1] >= endOffset) {
            kept--;
        }
        return kept == epochs.length
                ? this
                : new LeaderEpochs(Arrays.copyOf(epochs, kept), Arrays.copyOf(starts, kept));
    }

    /**
     * The history without epochs that ended at or before an offset. The one that holds the offset keeps its own start,
     * which a batch that reaches across the offset may need.
     *
     * @param logStartOffset first offset kept
     * @return this when nothing ended there
     */
    public LeaderEpochs startingAt(long logStartOffset) {
        int gone = 0;
        while (gone + 1 < epochs.length && starts[gone + 1] <= logStartOffset) {
            gone++;
        }
        return gone == 0
                ? this
                : new LeaderEpochs(
                        Arrays.copyOfRange(epochs, gone, epochs.length),
                        Arrays.copyOfRange(starts, gone, starts.length));
    }

    /**
     * Where an epoch ends.
     *
     * @param epoch asked for
     * @param logStartOffset first offset kept
     * @param logEndOffset next offset to be written
     * @return the greatest known epoch that is not above it, and where that ends
     */
    public EpochEnd endOf(int epoch, long logStartOffset, long logEndOffset) {
        int number = epochs.length - 1;
        while (number >= 0 && epochs[number] > epoch) {
            number--;
        }
        if (number < 0) {
            return new EpochEnd(Log.NO_EPOCH, logStartOffset);
        }
        return new EpochEnd(epochs[number], number + 1 < epochs.length ? starts[number + 1] : logEndOffset);
    }

    /**
     * The text of the file.
     *
     * @return lines
     */
    public String encode() {
        final StringBuilder text =
                new StringBuilder().append("0\n").append(epochs.length).append('\n');
        for (int i = 0; i < epochs.length; i++) {
            text.append(epochs[i]).append(' ').append(starts[i]).append('\n');
        }
        return text.toString();
    }

    /**
     * Parses the text of the file.
     *
     * @param text of the file
     * @return the history; null when anything in it is not as it should be
     */
    public static @Nullable LeaderEpochs parse(String text) {
        final String[] lines = text.split("\n", -1);
        if (lines.length < 3 || !lines[0].equals("0") || SmallNumber.parse(lines[1]) != lines.length - 3L) {
            return null;
        }
        final int[] epochs = new int[lines.length - 3];
        final long[] starts = new long[epochs.length];
        for (int i = 0; i < epochs.length; i++) {
            final String[] fields = lines[i + 2].split(" ", -1);
            final long epoch = fields.length == 2 ? SmallNumber.parse(fields[0]) : -1;
            final long start = fields.length == 2 ? SmallNumber.parse(fields[1]) : -1;
            if (epoch < 0
                    || epoch > Integer.MAX_VALUE
                    || start < 0
                    || (i > 0 && (epoch <= epochs[i - 1] || start <= starts[i - 1]))) {
                return null;
            }
            epochs[i] = (int) epoch;
            starts[i] = start;
        }
        return new LeaderEpochs(epochs, starts);
    }
}
