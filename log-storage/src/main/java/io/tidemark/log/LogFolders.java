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
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The folders of logs in a data folder: their names and the topic ids in them. Any thread; has no state. */
final class LogFolders {
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
        return topicIdIn(folderOf(partition));
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
            moveAside(partition, LogRemoval.STRAY);
        }
        fileSystem.createDirectories(folder);
        try (FileHandle file = fileSystem.open(folder.resolve(PartitionMetadata.FILE_NAME), OpenMode.CREATE)) {
            file.truncate(0);
            file.write(ByteBuffer.wrap(PartitionMetadata.encode(topicId).getBytes(StandardCharsets.UTF_8)), 0);
        }
    }

    /**
     * Gives the folder of a log a name that is no log's, durably.
     *
     * @param partition names the log
     * @param ending of the new name
     * @return the new path
     * @throws IOException when it may come back under its name
     */
    Path moveAside(TopicPartition partition, String ending) throws IOException {
        final String suffix = "." + fileSystem.newId().toString().replace("-", "") + ending;
        final String name = partition.toString();
        final String kept = name.substring(0, Math.min(name.length(), NAME_LENGTH_MAX - suffix.length()));
        return move(folderOf(partition), kept + suffix);
    }

    /**
     * Gives a folder that was moved aside another ending, durably.
     *
     * @param folder its path
     * @param ending that it has
     * @param newEnding that it gets; not longer by more than a letter
     * @return the new path
     * @throws IOException when it cannot be renamed
     */
    Path markDeleted(Path folder, String ending, String newEnding) throws IOException {
        final String name = folder.getFileName().toString();
        final int cut = Math.min(name.length() - ending.length(), NAME_LENGTH_MAX - newEnding.length());
        final String kept = name.substring(name.length() - ending.length() - cut, name.length() - ending.length());
        return move(folder, kept + newEnding);
    }

    private Path move(Path folder, String name) throws IOException {
        final Path target = directory.resolve(name);
        fileSystem.rename(folder, target);
        fileSystem.syncDirectory(directory);
        return target;
    }

    /**
     * The folders that were moved aside.
     *
     * @param ending of their names
     * @return their paths
     * @throws IOException when the data folder cannot be listed
     */
    List<Path> withEnding(String ending) throws IOException {
        final Pattern name = Pattern.compile(".+\\.[0-9a-f]{32}" + ending);
        final List<Path> found = new ArrayList<>();
        for (final Path path : fileSystem.list(directory)) {
            if (name.matcher(path.getFileName().toString()).matches() && fileSystem.isDirectory(path)) {
                found.add(path);
            }
        }
        return found;
    }

    /**
     * The topic id that a folder states.
     *
     * @param folder its path
     * @return empty when it states none
     * @throws IOException when it cannot be read
     */
    Optional<UUID> topicIdIn(Path folder) throws IOException {
        return PartitionMetadata.parse(SmallFile.read(fileSystem, folder.resolve(PartitionMetadata.FILE_NAME)));
    }

    /**
     * Deletes a folder with all that is in it; what is gone already is no error.
     *
     * @param folder to delete
     * @throws IOException when something cannot be deleted
     */
    void deleteTree(Path folder) throws IOException {
        if (!fileSystem.isDirectory(folder)) {
            return;
        }
        for (final Path path : fileSystem.list(folder)) {
            if (fileSystem.isDirectory(path)) {
                deleteTree(path);
            } else {
                fileSystem.delete(path);
            }
        }
        fileSystem.delete(folder);
    }
}
