package io.tidemark.tools.verify;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Prints the batches of log files, one line each, as {@code name=value} or as JSON. */
public final class LogDump {
    private final PrintStream out;
    private final boolean withRecords;
    private final boolean asJson;
    private boolean withIndexes;
    private BatchOpener opener = batch -> {
        throw new IllegalArgumentException("compressed batches are not opened here");
    };

    private LogDump(PrintStream out, boolean withRecords, boolean asJson) {
        this.out = out;
        this.withRecords = withRecords;
        this.asJson = asJson;
    }

    /**
     * Prints the entries of the indexes too, after the batches of their partition.
     *
     * @param value whether to print them; they are not by default
     * @return this
     */
    public LogDump indexes(boolean value) {
        withIndexes = value;
        return this;
    }

    /**
     * Opens compressed batches, which is needed to print their records.
     *
     * @param value the codecs
     * @return this
     */
    public LogDump openWith(BatchOpener value) {
        opener = value;
        return this;
    }

    /**
     * Prints for people.
     *
     * @param out receives the lines
     * @param withRecords whether to print the records too
     * @return the printer
     */
    public static LogDump text(PrintStream out, boolean withRecords) {
        return new LogDump(out, withRecords, false);
    }

    /**
     * Prints one JSON object per line.
     *
     * @param out receives the lines
     * @param withRecords whether to print the records too
     * @return the printer
     */
    public static LogDump json(PrintStream out, boolean withRecords) {
        return new LogDump(out, withRecords, true);
    }

    /**
     * Prints a segment file, an index or summary of one, a partition folder, or each partition folder of a data folder.
     *
     * @param path the file or folder
     * @throws NoSuchFileException if there is no such file or folder, or no segment file in it
     * @throws DamagedLogException if a file holds no valid batches
     * @throws IOException if a file cannot be read
     */
    public void print(Path path) throws IOException {
        if (IndexReader.isIndex(path) && !Files.isDirectory(path)) {
            dumpIndex(path);
            return;
        }
        if (!Files.isDirectory(path)) {
            dump(List.of(path));
            return;
        }
        List<Path> segments = PartitionReader.segmentsOf(path);
        if (!segments.isEmpty()) {
            dump(segments);
            return;
        }
        List<Path> partitions = partitionsOf(path);
        if (partitions.isEmpty()) {
            throw new NoSuchFileException(
                    path.toString(), null, "no .log file in it or in its folders; name a broker's data folder");
        }
        for (Path partition : partitions) {
            dump(PartitionReader.segmentsOf(partition));
        }
    }

    private static List<Path> partitionsOf(Path folder) throws IOException {
        List<Path> partitions = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, Files::isDirectory)) {
            for (Path entry : entries) {
                if (!PartitionReader.segmentsOf(entry).isEmpty()) {
                    partitions.add(entry);
                }
            }
        }
        partitions.sort(null);
        return partitions;
    }

    private void dump(List<Path> segments) throws IOException {
        Path shown = null;
        long batches = 0;
        long records = 0;
        try (PartitionReader reader = new PartitionReader(segments)) {
            for (LoggedBatch batch = reader.next(); batch != null; batch = reader.next()) {
                if (!asJson && !batch.file().equals(shown)) {
                    out.println("file=" + batch.file());
                }
                shown = batch.file();
                print(batchFields(batch));
                batches++;
                records += batch.recordCount();
                if (withRecords) {
                    dumpRecords(batch);
                }
            }
            if (!asJson) {
                out.println("total batches=" + batches + " records=" + records + " endOffset=" + reader.endOffset()
                        + " unusedBytes=" + reader.tailSize());
            }
        }
        if (withIndexes) {
            for (Path segment : segments) {
                for (String suffix : IndexReader.SUFFIXES) {
                    Path index = segment.resolveSibling(
                            String.valueOf(segment.getFileName()).replace(".log", suffix));
                    if (Files.exists(index)) {
                        dumpIndex(index);
                    }
                }
            }
        }
    }

    private void dumpIndex(Path file) throws IOException {
        if (!asJson) {
            out.println("file=" + file);
        }
        for (Map<String, Object> entry : IndexReader.read(file)) {
            Map<String, Object> fields = new LinkedHashMap<>();
            if (asJson) {
                fields.put("file", file.toString());
            }
            fields.putAll(entry);
            print(fields);
        }
    }

    private Map<String, Object> batchFields(LoggedBatch batch) {
        Map<String, Object> fields = new LinkedHashMap<>();
        if (asJson) {
            fields.put("file", batch.file().toString());
        }
        fields.put("baseOffset", batch.baseOffset());
        fields.put("lastOffset", batch.lastOffset());
        fields.put("count", batch.recordCount());
        fields.put("leaderEpoch", batch.leaderEpoch());
        fields.put("producerId", batch.producerId());
        fields.put("producerEpoch", batch.producerEpoch());
        fields.put("baseSequence", batch.baseSequence());
        fields.put("baseTimestamp", batch.baseTimestamp());
        fields.put("maxTimestamp", batch.maxTimestamp());
        fields.put("timestampType", batch.isAppendTime() ? "append" : "create");
        fields.put("position", batch.position());
        fields.put("size", batch.size());
        fields.put("crc", String.format("0x%08x", batch.storedChecksum()));
        fields.put("compression", batch.compression());
        fields.put("transactional", batch.isTransactional());
        fields.put("control", batch.isControl());
        return fields;
    }

    private void dumpRecords(LoggedBatch batch) throws IOException {
        RecordWalk walk = batch.records(opener);
        for (LoggedRecord record = walk.next(); record != null; record = walk.next()) {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("offset", record.offset());
            fields.put("timestamp", record.timestamp());
            fields.put("headers", record.headers());
            if (batch.isControl()) {
                fields.put("marker", marker(record.key()));
            }
            fields.put("key", text(record.key()));
            fields.put("value", text(record.value()));
            if (!asJson) {
                out.print("  ");
            }
            print(fields);
        }
    }

    /** What a control record says: its key is a version and a type, each of two bytes. */
    private static String marker(@Nullable ByteBuffer key) {
        int type = key == null || key.remaining() < 4 ? -1 : key.getShort(key.position() + 2);
        return switch (type) {
            case 0 -> "abort";
            case 1 -> "commit";
            default -> "type " + type;
        };
    }

    private static @Nullable String text(@Nullable ByteBuffer bytes) {
        return bytes == null
                ? null
                : StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
    }

    private void print(Map<String, Object> fields) {
        StringBuilder line = new StringBuilder();
        fields.forEach((name, value) -> {
            line.append(line.length() == 0 ? "" : asJson ? "," : " ");
            if (asJson) {
                appendJson(quote(line, name).append(':'), value);
            } else {
                line.append(name).append('=');
                appendText(line, value);
            }
        });
        out.println(asJson ? "{" + line + "}" : line.toString());
    }

    private static void appendJson(StringBuilder line, @Nullable Object value) {
        if (value instanceof String text) {
            quote(line, text);
        } else if (value instanceof List<?> list) {
            line.append('[');
            String separator = "";
            for (Object each : list) {
                if (each instanceof LoggedRecord.Header header) {
                    quote(line.append(separator).append("{\"key\":"), header.key())
                            .append(",\"value\":");
                    appendJson(line, text(header.value()));
                    line.append('}');
                    separator = ",";
                }
            }
            line.append(']');
        } else {
            line.append(value);
        }
    }

    private static void appendText(StringBuilder line, @Nullable Object value) {
        if (value instanceof List<?> list) {
            line.append('[');
            String separator = "";
            for (Object each : list) {
                if (each instanceof LoggedRecord.Header header) {
                    line.append(separator).append(header.key()).append('=').append(text(header.value()));
                    separator = " ";
                }
            }
            line.append(']');
        } else {
            line.append(value);
        }
    }

    private static StringBuilder quote(StringBuilder line, String text) {
        line.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                line.append('\\').append(c);
            } else if (c < ' ') {
                line.append(String.format("\\u%04x", (int) c));
            } else {
                line.append(c);
            }
        }
        return line.append('"');
    }
}
