package io.tidemark.tools.verify;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Checks a broker's data folder, or the folder of one partition, while nobody uses it: everything that docs/FORMAT.md
 * says of a folder. Nothing is written. Shares no code with the broker, so that a fault of the broker shows.
 */
public final class FolderCheck {
    private static final Pattern PARTITION = Pattern.compile("([a-zA-Z0-9._-]+)-(0|[1-9]\\d{0,9})");
    private static final Pattern PUT_ASIDE = Pattern.compile(".*-(stray|delete|future)");
    private static final Set<String> KNOWN_FILES = Set.of(
            ".lock",
            ".kafka_cleanshutdown",
            "bootstrap.checkpoint",
            "cleaner-offset-checkpoint",
            "lost+found",
            FolderState.META,
            FolderState.STATE,
            FolderState.CLEAN_STOP,
            FolderState.RECOVERY_POINTS,
            FolderState.HIGH_WATERMARKS,
            FolderState.LOG_STARTS,
            "tidemark.log-starts");

    private final Consumer<Finding> findings;
    private final boolean gapsAllowed;

    /**
     * Prepares.
     *
     * @param findings receives what is wrong, in the order of the files
     * @param gapsAllowed whether offsets may be missing between batches, as in a log that was copied from a compacted
     *     one
     */
    public FolderCheck(Consumer<Finding> findings, boolean gapsAllowed) {
        this.findings = findings;
        this.gapsAllowed = gapsAllowed;
    }

    private void find(Path file, String what, String advice) {
        findings.accept(new Finding(file, 0, what, advice));
    }

    /**
     * Checks a folder.
     *
     * @param path a data folder or a partition folder
     * @throws NoSuchFileException if it is neither
     * @throws FolderInUseException if a process uses it
     * @throws IOException if it cannot be read
     */
    public void run(Path path) throws IOException {
        Path folder = path.toAbsolutePath().normalize();
        if (!Files.isDirectory(folder)) {
            throw new NoSuchFileException(path.toString(), null, "no such folder");
        }
        if (isDataFolder(folder)) {
            checkDataFolder(folder);
        } else if (isPartition(folder)) {
            checkPartition(folder, stopOf(folder));
        } else {
            throw new NoSuchFileException(
                    path.toString(), null, "neither a data folder nor the folder of a partition; name one of them");
        }
    }

    /** How a partition was left: as the data folder says that it lies in, if it lies in one. */
    private static StopState stopOf(Path partition) throws IOException {
        Path parent = partition.getParent();
        if (parent == null || !Files.exists(parent.resolve(FolderState.META))) {
            return StopState.ALONE;
        }
        return readState(parent, finding -> {}).stopOf(String.valueOf(partition.getFileName()));
    }

    private static boolean isDataFolder(Path folder) throws IOException {
        if (Files.exists(folder.resolve(FolderState.META)) || Files.exists(folder.resolve(FolderState.STATE))) {
            return true;
        }
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, Files::isDirectory)) {
            for (Path entry : entries) {
                if (PARTITION.matcher(String.valueOf(entry.getFileName())).matches() && isPartition(entry)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean isPartition(Path folder) throws IOException {
        return Files.exists(folder.resolve(PartitionCheck.METADATA))
                || !PartitionReader.segmentsOf(folder).isEmpty();
    }

    private static FolderState readState(Path folder, Consumer<Finding> receiver) throws IOException {
        requireUnused(folder.resolve(".lock"));
        return FolderState.read(folder, receiver);
    }

    private static void requireUnused(Path file) throws IOException {
        if (Files.exists(file)) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
                    FileLock lock = channel.tryLock(0, Long.MAX_VALUE, true)) {
                if (lock == null) {
                    throw new FolderInUseException(file);
                }
            } catch (OverlappingFileLockException heldByThisProcess) {
                throw new FolderInUseException(file);
            }
        }
    }

    private PartitionCheck checkPartition(Path folder, StopState stop) throws IOException {
        PartitionCheck check = new PartitionCheck(folder, stop, gapsAllowed, findings);
        check.run();
        return check;
    }

    private void checkDataFolder(Path folder) throws IOException {
        FolderState state = readState(folder, findings);
        Map<String, PartitionCheck> partitions = new TreeMap<>();
        Map<String, String> topicIds = new HashMap<>();
        for (Path entry : PartitionCheck.entriesOf(folder)) {
            String name = String.valueOf(entry.getFileName());
            if (Files.isDirectory(entry) && PARTITION.matcher(name).matches()) {
                PartitionCheck check = checkPartition(entry, state.stopOf(name));
                partitions.put(name, check);
                checkTopicId(entry, name, check.topicId(), topicIds);
            } else {
                checkOther(entry, name, state.isClean());
            }
        }
        partitions.forEach((name, check) -> checkCheckpoints(folder, state, name, check));
        checkMissing(folder, state, partitions);
    }

    private void checkTopicId(Path entry, String name, @Nullable String topicId, Map<String, String> topicIds) {
        String topic = name.substring(0, name.lastIndexOf('-'));
        String other = topicId == null ? null : topicIds.putIfAbsent(topic, topicId);
        if (other != null && !other.equals(topicId)) {
            find(
                    entry.resolve(PartitionCheck.METADATA),
                    "partitions of one topic have different topic ids: topicId=" + topicId + ", another partition's="
                            + other,
                    "one of them belongs to a topic that was deleted: ask the cluster for the topic's id and move the"
                            + " other folder away");
        }
    }

    private void checkOther(Path entry, String name, boolean isClean) {
        boolean isFolder = Files.isDirectory(entry);
        if (KNOWN_FILES.contains(name) || (isFolder && PUT_ASIDE.matcher(name).matches())) {
            return;
        }
        if (name.endsWith(".tmp") && KNOWN_FILES.contains(name.substring(0, name.length() - 4))) {
            if (isClean) {
                find(entry, "left-over file of an action that was not finished", "delete it: nothing needs it");
            }
            return;
        }
        find(entry, "foreign " + (isFolder ? "folder" : "file") + " in the data folder", "move it away");
    }

    private void checkCheckpoints(Path folder, FolderState state, String name, PartitionCheck check) {
        long end = check.endOffset();
        long recoveryPoint = state.recoveryPoints().getOrDefault(name, -1L);
        Path recoveryFile = folder.resolve(FolderState.RECOVERY_POINTS);
        if (recoveryPoint > end) {
            find(
                    recoveryFile,
                    "recovery point is beyond the end of the log: log=" + name + ", recoveryPoint=" + recoveryPoint
                            + ", logEndOffset=" + end,
                    Finding.LOST);
        } else if (state.stopOf(name).isClean() && state.isOurs() && recoveryPoint != end) {
            find(
                    recoveryFile,
                    "recovery point is not the end of a log that was closed: log=" + name + ", recoveryPoint="
                            + recoveryPoint + ", logEndOffset=" + end,
                    "batches were added by somebody else, or the clean-stop marker is wrong: delete the marker, so"
                            + " that the next start recovers");
        }
        long highWatermark = state.highWatermarks().getOrDefault(name, -1L);
        if (highWatermark > end) {
            find(
                    folder.resolve(FolderState.HIGH_WATERMARKS),
                    "high watermark is beyond the end of the log: log=" + name + ", highWatermark=" + highWatermark
                            + ", logEndOffset=" + end,
                    Finding.LOST);
        }
        long logStart = state.logStarts().getOrDefault(name, -1L);
        if (logStart > end) {
            find(
                    folder.resolve(FolderState.LOG_STARTS),
                    "log start is beyond the end of the log: log=" + name + ", logStartOffset=" + logStart
                            + ", logEndOffset=" + end,
                    Finding.LOST);
        } else if (logStart >= 0 && logStart < check.startOffset()) {
            find(
                    folder.resolve(FolderState.LOG_STARTS),
                    "the first segments are missing: log=" + name + ", logStartOffset=" + logStart
                            + ", first segment begins at=" + check.startOffset(),
                    Finding.LOST);
        }
    }

    private void checkMissing(Path folder, FolderState state, Map<String, PartitionCheck> partitions) {
        if (!state.isClean()) {
            return;
        }
        Set<String> missing = new HashSet<>(state.recoveryPoints().keySet());
        missing.removeAll(partitions.keySet());
        for (String name : List.copyOf(missing)) {
            find(
                    folder.resolve(name),
                    "the folder of a log is missing that was there at the clean stop: recoveryPoint="
                            + state.recoveryPoints().get(name),
                    Finding.LOST);
        }
    }
}
