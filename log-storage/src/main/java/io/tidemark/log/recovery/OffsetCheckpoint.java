package io.tidemark.log.recovery;

import io.tidemark.log.TopicPartition;
import io.tidemark.log.io.FileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * A file with one offset per partition, in Kafka's text layout: a line "0", a line with the number of entries, then
 * lines of topic, partition and offset, separated by blanks. What it says is a hint that may be old; a file that is
 * missing or damaged says nothing. Guarded by the store's monitor.
 */
public final class OffsetCheckpoint {
    private final FileSystem fileSystem;
    private final Path path;

    /**
     * A checkpoint file, which need not exist.
     *
     * @param fileSystem that holds it
     * @param path of the file
     */
    public OffsetCheckpoint(FileSystem fileSystem, Path path) {
        this.fileSystem = fileSystem;
        this.path = path;
    }

    /**
     * Reads the file.
     *
     * @return a new map; empty when the file is missing or damaged
     * @throws IOException when it is there and cannot be read
     */
    public Map<TopicPartition, Long> read() throws IOException {
        final String text = SmallFile.read(fileSystem, path);
        return text == null ? new HashMap<>() : parse(text);
    }

    /**
     * Replaces the file durably.
     *
     * @param offsets what it shall say
     * @throws IOException when it may not be durable
     */
    public void write(Map<TopicPartition, Long> offsets) throws IOException {
        SmallFile.replace(fileSystem, path, encode(offsets));
    }

    /**
     * The text of a checkpoint.
     *
     * @param offsets what it shall say
     * @return whole lines
     */
    static String encode(Map<TopicPartition, Long> offsets) {
        final StringBuilder text = new StringBuilder(64 + offsets.size() * 32);
        text.append("0\n").append(offsets.size()).append('\n');
        offsets.forEach((partition, offset) -> text.append(partition.topic())
                .append(' ')
                .append(partition.partition())
                .append(' ')
                .append(offset)
                .append('\n'));
        return text.toString();
    }

    /**
     * Parses the text of a checkpoint.
     *
     * @param text of the file
     * @return a new map; empty when anything in it is not as it should be
     */
    static Map<TopicPartition, Long> parse(String text) {
        final String[] lines = text.split("\n", -1);
        final Map<TopicPartition, Long> offsets = new HashMap<>();
        if (lines.length < 2 || !lines[0].equals("0") || SmallNumber.parse(lines[1]) != lines.length - 3L) {
            return offsets;
        }
        for (int i = 2; i < lines.length - 1; i++) {
            final String[] fields = lines[i].split(" ", -1);
            final long partition = fields.length == 3 ? SmallNumber.parse(fields[1]) : -1;
            final long offset = fields.length == 3 ? SmallNumber.parse(fields[2]) : -1;
            if (partition < 0
                    || partition > Integer.MAX_VALUE
                    || offset < 0
                    || !TopicPartition.isValidTopic(fields[0])
                    || offsets.put(new TopicPartition(fields[0], (int) partition), offset) != null) {
                return new HashMap<>();
            }
        }
        return offsets;
    }
}
