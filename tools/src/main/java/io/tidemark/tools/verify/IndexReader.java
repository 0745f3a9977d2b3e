package io.tidemark.tools.verify;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the files that were derived from a segment: its offset index (entries of offset minus base, 4 bytes, and
 * position, 4 bytes), its time index (timestamp, 8 bytes, and offset minus base, 4 bytes) and its summary (40 bytes).
 */
final class IndexReader {
    /** Suffixes of the files that can be read. */
    static final List<String> SUFFIXES = List.of(".index", ".timeindex", ".summary");

    private static final int SUMMARY_LENGTH = 40;

    private IndexReader() {}

    /**
     * Tells whether a file is one that can be read here.
     *
     * @param file any path
     * @return true for 20 digits and one of the suffixes
     */
    static boolean isIndex(Path file) {
        String name = String.valueOf(file.getFileName());
        return SUFFIXES.stream()
                .anyMatch(suffix ->
                        name.endsWith(suffix) && PartitionReader.isSegment(Path.of(name.replace(suffix, ".log"))));
    }

    /**
     * Reads all entries.
     *
     * @param file for which {@link #isIndex} says true
     * @return one map from field names to values per entry, in their order
     * @throws DamagedLogException if the file has no whole number of entries, or entries do not grow
     * @throws IOException if it cannot be read
     */
    static List<Map<String, Object>> read(Path file) throws IOException {
        String name = String.valueOf(file.getFileName());
        long baseOffset = Long.parseLong(name.substring(0, name.indexOf('.')));
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
        if (name.endsWith(".summary")) {
            return List.of(summary(file, bytes));
        }
        boolean byTime = name.endsWith(".timeindex");
        int length = byTime ? 12 : 8;
        List<Map<String, Object>> entries = new ArrayList<>();
        long before = -1;
        while (bytes.remaining() >= length) {
            int at = bytes.position();
            Map<String, Object> entry = new LinkedHashMap<>();
            if (byTime) {
                entry.put("timestamp", bytes.getLong());
            }
            long offset = baseOffset + bytes.getInt();
            entry.put("offset", offset);
            if (!byTime) {
                entry.put("position", bytes.getInt());
            }
            if (offset <= before) {
                throw new DamagedLogException(
                        "entries of an index do not grow: offset=" + offset + ", before=" + before, file, at);
            }
            before = offset;
            entries.add(entry);
        }
        if (bytes.hasRemaining()) {
            throw new DamagedLogException(
                    "an index ends inside an entry: left=" + bytes.remaining(), file, bytes.position());
        }
        return entries;
    }

    private static Map<String, Object> summary(Path file, ByteBuffer bytes) throws DamagedLogException {
        if (bytes.remaining() != SUMMARY_LENGTH) {
            throw new DamagedLogException(
                    "a summary has another length: size=" + bytes.remaining() + ", expected=" + SUMMARY_LENGTH,
                    file,
                    0);
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("version", bytes.getInt());
        fields.put("size", bytes.getInt());
        fields.put("lastPosition", bytes.getInt());
        fields.put("lastCrc", String.format("0x%08x", bytes.getInt()));
        fields.put("lastOffset", bytes.getLong());
        fields.put("maxTimestamp", bytes.getLong());
        fields.put("timeIndexCrc", String.format("0x%08x", bytes.getInt()));
        return fields;
    }
}
