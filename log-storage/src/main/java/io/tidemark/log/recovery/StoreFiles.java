package io.tidemark.log.recovery;

import io.tidemark.log.StorageException;
import io.tidemark.log.StorageIdentity;
import io.tidemark.log.TopicPartition;
import io.tidemark.log.io.FileSystem;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The files of a data folder that say whose it is and how it was left: {@code meta.properties} (Kafka's layout and key
 * names), {@code tidemark.properties} and {@code tidemark.clean-stop} (ours, with a checksum). Guarded by the store's
 * monitor.
 */
public final class StoreFiles {
    /** Says whose the folder is. */
    public static final String META = "meta.properties";
    /** Says what was seen in the folder's life. */
    public static final String STATE = "tidemark.properties";
    /** There only between a clean stop and the next start. */
    public static final String CLEAN_STOP = "tidemark.clean-stop";

    private final FileSystem fileSystem;
    private final Path directory;

    /**
     * The files of a folder.
     *
     * @param fileSystem that holds it
     * @param directory the folder
     */
    public StoreFiles(FileSystem fileSystem, Path directory) {
        this.fileSystem = fileSystem;
        this.directory = directory;
    }

    /**
     * Reads who the folder belongs to, and gives it an id at the first time.
     *
     * @return the identity
     * @throws IOException when a file cannot be read or written
     */
    public StorageIdentity openIdentity() throws IOException {
        final String text = SmallFile.read(fileSystem, directory.resolve(META));
        if (text == null) {
            final StorageIdentity fresh =
                    new StorageIdentity(Optional.empty(), OptionalInt.empty(), fileSystem.newId());
            writeIdentity(fresh);
            return fresh;
        }
        final Properties properties = new Properties();
        try {
            properties.load(new StringReader(text));
        } catch (final IllegalArgumentException e) {
            throw damaged(META, "it is no properties file");
        }
        final String directoryId = properties.getProperty("directory.id");
        final Optional<UUID> id = directoryId == null ? Optional.empty() : PartitionMetadata.parseId(directoryId);
        final String node = properties.getProperty("node.id");
        final long nodeId = node == null ? -1 : SmallNumber.parse(node);
        if (id.isEmpty() || nodeId > Integer.MAX_VALUE || (node != null && nodeId < 0)) {
            throw damaged(META, "directory.id=" + directoryId + ", node.id=" + node);
        }
        return new StorageIdentity(
                Optional.ofNullable(properties.getProperty("cluster.id")),
                node == null ? OptionalInt.empty() : OptionalInt.of((int) nodeId),
                id.get());
    }

    /**
     * Replaces what says who the folder belongs to.
     *
     * @param identity to be written
     * @throws IOException when it may not be durable
     */
    public void writeIdentity(StorageIdentity identity) throws IOException {
        final StringBuilder text = new StringBuilder("version=1\n");
        identity.clusterId()
                .ifPresent(id -> text.append("cluster.id=").append(id).append('\n'));
        identity.nodeId().ifPresent(id -> text.append("node.id=").append(id).append('\n'));
        text.append("directory.id=")
                .append(PartitionMetadata.idText(identity.directoryId()))
                .append('\n');
        SmallFile.replace(fileSystem, directory.resolve(META), text.toString());
    }

    private StorageException damaged(String name, String what) {
        return new StorageException("file of the data folder is damaged: file=" + directory.resolve(name) + ", " + what
                + "; restore the file, or empty the folder and let the broker fetch its logs again");
    }

    /**
     * Reads what was seen in the folder's life.
     *
     * @return the state; {@link StoreState#NEW} when there is none
     * @throws IOException when the file cannot be read
     */
    public StoreState readState() throws IOException {
        final Path path = directory.resolve(STATE);
        if (!fileSystem.exists(path)) {
            return StoreState.NEW;
        }
        final String text = SmallFile.readSealed(fileSystem, path);
        final StoreState state = text == null ? null : StoreState.parse(text);
        if (state == null) {
            throw damaged(STATE, "its checksum or content is wrong");
        }
        return state;
    }

    /**
     * Replaces the state.
     *
     * @param state to be written
     * @throws IOException when it may not be durable
     */
    public void writeState(StoreState state) throws IOException {
        SmallFile.replaceSealed(fileSystem, directory.resolve(STATE), state.encode());
    }

    /**
     * Reads the marker of a clean stop.
     *
     * @param incarnation the last one that began; a marker of another one is not believed
     * @return names of the folders that were nevertheless not recovered; null when the stop was not clean
     * @throws IOException when the file cannot be read
     */
    public @Nullable Set<String> readCleanStop(long incarnation) throws IOException {
        final String text = SmallFile.readSealed(fileSystem, directory.resolve(CLEAN_STOP));
        if (text == null || !text.startsWith("version=1\n")) {
            return null;
        }
        final Set<String> unrecovered = new HashSet<>();
        boolean isCurrent = false;
        for (final String line : text.split("\n", -1)) {
            isCurrent |= line.equals("incarnation=" + incarnation);
            if (line.startsWith("unrecovered=")) {
                unrecovered.add(line.substring("unrecovered=".length()));
            }
        }
        return isCurrent ? unrecovered : null;
    }

    /**
     * Writes the marker of a clean stop: the last thing that is done with a folder.
     *
     * @param incarnation the last one that began
     * @param unrecovered partitions that were not opened since a stop that was not clean
     * @throws IOException when it may not be durable
     */
    public void writeCleanStop(long incarnation, Collection<TopicPartition> unrecovered) throws IOException {
        final StringBuilder text =
                new StringBuilder("version=1\nincarnation=").append(incarnation).append('\n');
        for (final TopicPartition partition : unrecovered) {
            text.append("unrecovered=").append(partition).append('\n');
        }
        SmallFile.replaceSealed(fileSystem, directory.resolve(CLEAN_STOP), text.toString());
    }

    /**
     * Removes the marker of a clean stop durably: before the first write of a run.
     *
     * @throws IOException when it may come back
     */
    public void removeCleanStop() throws IOException {
        if (fileSystem.delete(directory.resolve(CLEAN_STOP))) {
            fileSystem.syncDirectory(directory);
        }
    }
}
