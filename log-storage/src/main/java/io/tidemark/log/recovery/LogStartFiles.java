package io.tidemark.log.recovery;

import io.tidemark.log.TopicPartition;
import io.tidemark.log.io.FileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * Where logs begin whose start lies within or behind their first segment. Kafka's file of that name has no checksum, so
 * that a damaged digit could hide records; therefore it is written for Kafka's tools only, and ours with a checksum
 * beside it is what counts. Kafka's is read in a folder that was never ours. Guarded by the store's monitor.
 */
public final class LogStartFiles {
    /** Kafka's file. */
    public static final String KAFKA = "log-start-offset-checkpoint";
    /** Ours: the same lines, sealed. */
    public static final String OURS = "tidemark.log-starts";

    private final FileSystem fileSystem;
    private final Path ours;
    private final OffsetCheckpoint kafka;

    /**
     * The files of a data folder.
     *
     * @param fileSystem that holds it
     * @param directory the data folder
     */
    public LogStartFiles(FileSystem fileSystem, Path directory) {
        this.fileSystem = fileSystem;
        ours = directory.resolve(OURS);
        kafka = new OffsetCheckpoint(fileSystem, directory.resolve(KAFKA));
    }

    /**
     * Reads what is noted.
     *
     * @param wasOurs whether the folder was used by Tidemark before, so that Kafka's file alone proves nothing
     * @return a new map; empty when nothing is proved
     * @throws IOException when a file is there and cannot be read
     */
    public Map<TopicPartition, Long> read(boolean wasOurs) throws IOException {
        final String text = SmallFile.readSealed(fileSystem, ours);
        if (text != null) {
            return OffsetCheckpoint.parse(text);
        }
        return wasOurs ? new HashMap<>() : kafka.read();
    }

    /**
     * Replaces both files durably, ours first.
     *
     * @param starts what they shall say
     * @throws IOException when it may not be durable
     */
    public void write(Map<TopicPartition, Long> starts) throws IOException {
        SmallFile.replaceSealed(fileSystem, ours, OffsetCheckpoint.encode(starts));
        kafka.write(starts);
    }
}
