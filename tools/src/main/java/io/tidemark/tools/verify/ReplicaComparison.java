package io.tidemark.tools.verify;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compares the folders of the replicas of one partition, batch by batch and byte by byte, below an offset. Segment
 * boundaries may differ: a truncation begins a new file on one replica only.
 */
public final class ReplicaComparison {
    private ReplicaComparison() {}

    /**
     * What was found.
     *
     * @param batches how many batches lie below the offset
     * @param records how many records they hold
     * @param difference the first difference, or null if all replicas are equal
     */
    public record Result(
            long batches, long records, @Nullable String difference) {
        /**
         * Tells whether the replicas are equal.
         *
         * @return true if no difference was found
         */
        public boolean isEqual() {
            return difference == null;
        }
    }

    /**
     * Compares the folders.
     *
     * @param folders the partition folders of all replicas, at least one
     * @param toOffset the exclusive end of the comparison, such as the high watermark
     * @return what was found; a damaged file is a difference too
     * @throws IOException if a folder cannot be read
     */
    public static Result compare(List<Path> folders, long toOffset) throws IOException {
        List<PartitionReader> readers = new ArrayList<>();
        try {
            for (Path folder : folders) {
                readers.add(new PartitionReader(PartitionReader.segmentsOf(folder)));
            }
            return compare(folders, readers, toOffset);
        } finally {
            for (PartitionReader reader : readers) {
                reader.close();
            }
        }
    }

    private static Result compare(List<Path> folders, List<PartitionReader> readers, long toOffset) throws IOException {
        long batches = 0;
        long records = 0;
        try {
            while (readers.get(0).endOffset() < toOffset) {
                LoggedBatch first = readers.get(0).next();
                if (first == null) {
                    return new Result(batches, records, endsEarly(folders.get(0), readers.get(0), toOffset));
                }
                for (int i = 1; i < readers.size(); i++) {
                    LoggedBatch other = readers.get(i).next();
                    if (other == null) {
                        return new Result(batches, records, endsEarly(folders.get(i), readers.get(i), toOffset));
                    }
                    if (!first.hasSameBytes(other)) {
                        return new Result(batches, records, "batches differ: " + place(first) + " and " + place(other));
                    }
                }
                batches++;
                records += first.recordCount();
            }
            return new Result(batches, records, null);
        } catch (DamagedLogException damaged) {
            return new Result(batches, records, damaged.getMessage());
        }
    }

    private static String endsEarly(Path folder, PartitionReader reader, long toOffset) {
        return "a replica ends below the high watermark: folder=" + folder + ", endOffset=" + reader.endOffset()
                + ", highWatermark=" + toOffset;
    }

    private static String place(LoggedBatch batch) {
        return String.format(
                "file=%s, position=%d, baseOffset=%d, lastOffset=%d, leaderEpoch=%d, crc=0x%08x",
                batch.file(),
                batch.position(),
                batch.baseOffset(),
                batch.lastOffset(),
                batch.leaderEpoch(),
                batch.storedChecksum());
    }
}
