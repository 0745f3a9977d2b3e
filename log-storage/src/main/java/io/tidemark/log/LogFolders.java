package io.tidemark.log;

import io.tidemark.log.io.FileHandle;
import io.tidemark.log.io.FileSystem;
import io.tidemark.log.io.FileSystem.OpenMode;
import io.tidemark.log.recovery.PartitionMetadata;
import io.tidemark.log.recovery.SmallFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The folders of logs in a data folder: their names and the topic ids in them. Any thread; has no state. */
final class LogFolders {
    private static final String STRAY = "-stray";
    private static final int NAME_LENGTH_MAX = 255;

    private final FileSystem fileSystem;
    private final Path directory;

    /**
     * The folders in a data folder.
     *
     * @param fileSystem that holds it
     * @param directory the data folder
     */
    LogFolders(FileSystem fileSystem, Path directory) {
        this.fileSystem = fileSystem;
        this.directory = directory;
    }

    /**
     * The folder of a log.
     *
     * @param partition names the log
     * @return a path
     */
    Path folderOf(TopicPartition partition) {
        return directory.resolve(partition.toString());
    }

    /**
     * The log that a folder's name states.
     *
     * @param name of a folder
     * @return null when the name is not one of a log's folder
     */
    static @Nullable TopicPartition parse(String name) {
        final int hyphen = name.lastIndexOf('-');
        final String digits = name.substring(hyphen + 1);
        if (hyphen < 1
                || digits.isEmpty()
                || digits.length() > 10
                || (digits.length() > 1 && digits.charAt(0) == '0')) {
            return null;
        }
        long partition = 0;
        for (int i = 0; i < digits.length(); i++) {
            final char c = digits.charAt(i);
            if (c < '0' || c > '9') {
                return null;
            }
            partition = partition * 10 + (c - '0');
        }
        final String topic = name.substring(0, hyphen);
        return partition <= Integer.MAX_VALUE && TopicPartition.isValidTopic(topic)
                ? new TopicPartition(topic, (int) partition)
                : null;
    }

    /**
     * The logs whose folders are there.
     *
     * @return names, sorted
     * @throws IOException when the data folder cannot be listed
     */
    List<TopicPartition> existing() throws IOException {
        final List<TopicPartition> partitions = new ArrayList<>();
        for (final Path path : fileSystem.list(directory)) {
            final TopicPartition partition = parse(path.getFileName().toString());
            if (partition != null && fileSystem.isDirectory(path)) {
                partitions.add(partition);
            }
        }
        partitions.sort(Comparator.comparing(TopicPartition::topic).thenComparingInt(TopicPartition::partition));
        return partitions;
    }

    /**
     * The topic id that a log's folder states.
     *
     * @param partition names the log
     * @return empty when there is no such folder, or it states none
     * @throws IOException when it cannot be read
     */
    Optional<UUID> topicIdOf(TopicPartition partition) throws IOException {
        return PartitionMetadata.parse(
                SmallFile.read(fileSystem, folderOf(partition).resolve(PartitionMetadata.FILE_NAME)));
    }

    /**
     * Whether the folder of a log is there.
     *
     * @param partition names the log
     * @param topicId of its topic
     * @return false when it is missing or belongs to another topic
     * @throws IOException when it cannot be read
     */
    boolean isPresent(TopicPartition partition, UUID topicId) throws IOException {
        return fileSystem.isDirectory(folderOf(partition))
                && topicIdOf(partition).equals(Optional.of(topicId));
    }

    /**
     * Makes the folder of a log that is not present, after moving aside one of another topic. It is not forced here:
     * the first flush does that, so that many can be made in little time.
     *
     * @param partition names the log
     * @param topicId of its topic
     * @throws IOException when the disk fails
     */
    void make(TopicPartition partition, UUID topicId) throws IOException {
        final Path folder = folderOf(partition);
        if (fileSystem.isDirectory(folder)) {
            moveAside(partition, folder);
        }
        fileSystem.createDirectories(folder);
        try (FileHandle file = fileSystem.open(folder.resolve(PartitionMetadata.FILE_NAME), OpenMode.CREATE)) {
            file.truncate(0);
            file.write(ByteBuffer.wrap(PartitionMetadata.encode(topicId).getBytes(StandardCharsets.UTF_8)), 0);
        }
    }

    private void moveAside(TopicPartition partition, Path folder) throws IOException {
        final String suffix = "." + fileSystem.newId().toString().replace("-", "") + STRAY;
        final String name = partition.toString();
        final String kept = name.substring(0, Math.min(name.length(), NAME_LENGTH_MAX - suffix.length()));
        fileSystem.rename(folder, directory.resolve(kept + suffix));
        fileSystem.syncDirectory(directory);
    }
}
