package io.tidemark.log;

import io.tidemark.log.io.FileSystem;
import io.tidemark.log.recovery.LastStop;
import io.tidemark.log.recovery.LogStartFiles;
import io.tidemark.log.recovery.OffsetCheckpoint;
import io.tidemark.log.recovery.RecoveredMark;
import io.tidemark.log.recovery.StoreFiles;
import io.tidemark.log.recovery.StoreState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * What a store knows about its folder beside the logs: whose it is, how it was left, recovery points and high
 * watermarks. Any thread: its monitor is held while the small files are written, because each is replaced as a whole
 * and a second writer would bring back what the first one changed.
 */
final class StoreLedger {
    private final FileSystem fileSystem;
    private final StoreFiles files;
    private final OffsetCheckpoint recoveryFile;
    private final OffsetCheckpoint highWatermarkFile;
    private final LogStartFiles logStartFiles;
    private final String bootId;
    private final String mountId;
    private final long intervalNs;
    private final NanoClock clock;
    private final boolean isMachineSame;
    private final boolean hasMachineEnded;
    private final @Nullable Set<String> unrecoveredAtStop;
    private final Map<TopicPartition, Long> recoveryPoints;
    private final Map<TopicPartition, Long> highWatermarks;
    private final Map<TopicPartition, Long> logStarts;
    private final Set<TopicPartition> opened = new HashSet<>();
    private final Map<TopicPartition, LastStop> closedInRun = new HashMap<>();
    /** Logs that are gone, while the files may still have marks of them. */
    private final Set<TopicPartition> forgotten = new HashSet<>();

    private StorageIdentity identity;
    private StoreState state;
    private boolean isRunning;
    private boolean isSpoiled;
    private long lastWriteNs;

    /**
     * Reads the files of a folder.
     *
     * @param fileSystem that holds it
     * @param directory the folder
     * @param intervalNs least time between two writings of recovery points
     * @param clock monotonic
     * @throws IOException when a file cannot be read, or the new folder cannot be written
     */
    StoreLedger(FileSystem fileSystem, Path directory, long intervalNs, NanoClock clock) throws IOException {
        this.fileSystem = fileSystem;
        this.files = new StoreFiles(fileSystem, directory);
        this.recoveryFile = new OffsetCheckpoint(fileSystem, directory.resolve("recovery-point-offset-checkpoint"));
        this.highWatermarkFile = new OffsetCheckpoint(fileSystem, directory.resolve("replication-offset-checkpoint"));
        this.intervalNs = intervalNs;
        this.clock = clock;
        this.bootId = fileSystem.bootId();
        this.mountId = fileSystem.mountId(directory);
        this.identity = files.openIdentity();
        this.state = files.readState();
        this.isMachineSame = state.isSameMachine(bootId, mountId);
        this.unrecoveredAtStop = files.readCleanStop(state.incarnation());
        this.hasMachineEnded = unrecoveredAtStop == null
                && (state.equals(StoreState.NEW)
                        ? hasFolders(fileSystem, directory)
                        : !isMachineSame || state.machineEnded());
        this.recoveryPoints = recoveryFile.read();
        this.highWatermarks = highWatermarkFile.read();
        this.logStartFiles = new LogStartFiles(fileSystem, directory);
        this.logStarts = logStartFiles.read(!state.equals(StoreState.NEW));
        this.lastWriteNs = clock.nanoTime() - intervalNs;
    }

    /** A folder of somebody else's, who did not say how he left it. */
    private static boolean hasFolders(FileSystem fileSystem, Path directory) throws IOException {
        return fileSystem.list(directory).stream().anyMatch(fileSystem::isDirectory);
    }

    /**
     * Whose folder it is.
     *
     * @return the identity
     */
    synchronized StorageIdentity identity() {
        return identity;
    }

    /**
     * What was seen in the folder's life.
     *
     * @return the state
     */
    synchronized StoreState state() {
        return state;
    }

    /**
     * Whether the run before this one ended cleanly.
     *
     * @return false for a new folder
     */
    boolean wasCleanlyStopped() {
        return unrecoveredAtStop != null;
    }

    /**
     * Gives the folder to a broker or checks that it has it.
     *
     * @param clusterId the cluster
     * @param nodeId the broker
     * @throws IOException when it may not be durable
     */
    synchronized void bind(String clusterId, int nodeId) throws IOException {
        if (clusterId.isBlank() || clusterId.chars().anyMatch(c -> c <= ' ' || c == '\\') || nodeId < 0) {
            throw new IllegalArgumentException("invalid owner of a data folder: clusterId='" + clusterId + "', nodeId="
                    + nodeId + "; give an id without blanks and a broker number of 0 or more");
        }
        final Optional<String> cluster = identity.clusterId();
        final OptionalInt node = identity.nodeId();
        if (cluster.isEmpty() && node.isEmpty()) {
            final StorageIdentity bound =
                    new StorageIdentity(Optional.of(clusterId), OptionalInt.of(nodeId), identity.directoryId());
            files.writeIdentity(bound);
            identity = bound;
        } else if (!cluster.equals(Optional.of(clusterId)) || !node.equals(OptionalInt.of(nodeId))) {
            throw new StorageException("data folder belongs to another broker: folder clusterId="
                    + cluster.orElse("none") + ", folder nodeId=" + (node.isPresent() ? node.getAsInt() : "none")
                    + ", asked clusterId=" + clusterId + ", asked nodeId=" + nodeId
                    + "; use the broker's own folder or an empty one");
        }
    }

    /**
     * Says durably that the folder is in use, before anything in it is written: the marker of the clean stop goes.
     *
     * @throws IOException when it may not be durable
     */
    synchronized void beginRun() throws IOException {
        if (!isRunning) {
            final boolean loss = state.lossPossible() || (unrecoveredAtStop == null && !isMachineSame);
            begin(state.incarnation(), state.intactSince(), loss);
        }
    }

    private void begin(long incarnation, long intactSince, boolean lossPossible) throws IOException {
        final StoreState next = new StoreState(
                incarnation, intactSince, lossPossible, hasMachineEnded, bootId, mountId, state.controllerEpoch());
        files.writeState(next);
        files.removeCleanStop();
        state = next;
        isRunning = true;
    }

    /**
     * Begins an incarnation durably.
     *
     * @param incarnation of this start
     * @return since which incarnation nothing can have been lost
     * @throws IOException when it may not be durable
     */
    synchronized long beginIncarnation(long incarnation) throws IOException {
        if (incarnation <= state.incarnation()) {
            throw new IllegalArgumentException("incarnation does not grow: incarnation=" + incarnation + ", previous="
                    + state.incarnation() + "; take a new one from the coordination service");
        }
        beginRun();
        // Each life is noted here before the cluster counts it. A number that leaves some out tells that this folder
        // is an older copy, brought back by somebody: what was appended in those lives is missing.
        final boolean isOlderCopy = incarnation > state.incarnation() + 1;
        final boolean isIntact = state.intactSince() >= 0 && !state.lossPossible() && !isOlderCopy;
        final long since = isIntact ? state.intactSince() : incarnation;
        begin(incarnation, since, false);
        return since;
    }

    /**
     * Records a controller epoch durably unless a higher one is known.
     *
     * @param epoch seen
     * @throws IOException when it may not be durable
     */
    synchronized void recordControllerEpoch(long epoch) throws IOException {
        if (epoch > state.controllerEpoch()) {
            beginRun();
            final StoreState next = new StoreState(
                    state.incarnation(),
                    state.intactSince(),
                    state.lossPossible(),
                    state.machineEnded(),
                    state.bootId(),
                    state.mountId(),
                    epoch);
            files.writeState(next);
            state = next;
        }
    }

    /**
     * How a log was left.
     *
     * @param partition names the log
     * @param folder of the log
     * @return how much of it can be believed
     * @throws IOException when its mark cannot be read
     */
    synchronized LastStop lastStopOf(TopicPartition partition, Path folder) throws IOException {
        final LastStop stop = lastStopOf(partition);
        return stop == LastStop.MACHINE_ENDED && RecoveredMark.isLeft(fileSystem, folder, bootId, mountId)
                ? LastStop.PROCESS_ENDED
                : stop;
    }

    /**
     * Whether a log was cleanly closed.
     *
     * @param partition names the log
     * @return false when it has to be recovered
     */
    synchronized boolean isClean(TopicPartition partition) {
        return lastStopOf(partition) == LastStop.CLEAN;
    }

    private LastStop lastStopOf(TopicPartition partition) {
        final LastStop inRun = closedInRun.get(partition);
        if (inRun != null) {
            return inRun;
        }
        if (unrecoveredAtStop != null && !unrecoveredAtStop.contains(partition.toString())) {
            return LastStop.CLEAN;
        }
        // After a clean stop with logs left over nobody knows how long those were left: believe the least.
        return isMachineSame && unrecoveredAtStop == null && !hasMachineEnded
                ? LastStop.PROCESS_ENDED
                : LastStop.MACHINE_ENDED;
    }

    /**
     * Leaves a mark in the folder of a log that is as good as this process can make it, if later starts need it.
     *
     * @param folder of the log
     * @param lastStop how it was left
     * @throws IOException when it cannot be written
     */
    void markRecovered(Path folder, LastStop lastStop) throws IOException {
        if (hasMachineEnded || lastStop == LastStop.MACHINE_ENDED) {
            RecoveredMark.write(fileSystem, folder, bootId, mountId);
        }
    }

    /**
     * End of what is durable.
     *
     * @param partition names the log
     * @return an offset, 0 when nothing is known
     */
    synchronized long recoveryPoint(TopicPartition partition) {
        return recoveryPoints.getOrDefault(partition, 0L);
    }

    /**
     * Lowers a recovery point durably, if it is above an offset.
     *
     * @param partition names the log
     * @param offset greatest allowed
     * @throws IOException when it may not be durable
     */
    synchronized void lowerRecoveryPoint(TopicPartition partition, long offset) throws IOException {
        if (recoveryPoint(partition) > offset) {
            recoveryPoints.put(partition, offset);
            recoveryFile.write(recoveryPoints);
        }
    }

    /**
     * Advances the recovery points, not more often than configured.
     *
     * @param logs that are open
     * @return 1 when the file was written, else 0
     * @throws IOException when it may not be durable
     */
    synchronized int writeRecoveryPoints(Collection<Log> logs) throws IOException {
        final long now = clock.nanoTime();
        if (now - lastWriteNs < intervalNs) {
            return 0;
        }
        boolean isChanged = false;
        for (final Log log : logs) {
            // Read under the monitor: a truncation lowers the flushed offset first and then comes here to lower ours.
            final long flushed = log.flushedOffset();
            final Long before = recoveryPoints.put(log.partition(), flushed);
            isChanged |= before == null || before != flushed;
        }
        if (isChanged) {
            recoveryFile.write(recoveryPoints);
            lastWriteNs = now;
        }
        return isChanged ? 1 : 0;
    }

    /**
     * Where a log was told to begin.
     *
     * @param partition names the log
     * @return an offset, 0 when nothing is noted
     */
    synchronized long logStart(TopicPartition partition) {
        return logStarts.getOrDefault(partition, 0L);
    }

    /**
     * Lowers a noted log start durably because its log is truncated.
     *
     * @param partition names the log
     * @param endOffset new end of the log; nothing happens unless the noted start is above it
     * @param startOffset new start
     * @throws IOException when it may not be durable
     */
    synchronized void lowerLogStart(TopicPartition partition, long endOffset, long startOffset) throws IOException {
        if (logStart(partition) > endOffset) {
            writeLogStarts(Map.of(partition, startOffset));
        }
    }

    /**
     * Raises log starts durably.
     *
     * @param changes new starts; those of logs that were truncated meanwhile are left out
     * @throws IOException when they may not be durable
     */
    synchronized void raiseLogStarts(List<LogStartChange> changes) throws IOException {
        final Map<TopicPartition, Long> raised = new HashMap<>();
        for (final LogStartChange change : changes) {
            // Looked at under the monitor: a truncation counts itself first and then comes here to lower the start.
            final TopicPartition partition = change.log().partition;
            if (change.isCurrent() && change.startOffset() > logStart(partition)) {
                raised.put(partition, change.startOffset());
            }
        }
        if (!raised.isEmpty()) {
            writeLogStarts(raised);
        }
    }

    private void writeLogStarts(Map<TopicPartition, Long> changed) throws IOException {
        final Map<TopicPartition, Long> next = new HashMap<>(logStarts);
        next.putAll(changed);
        next.values().removeIf(start -> start == 0);
        logStartFiles.write(next);
        logStarts.clear();
        logStarts.putAll(next);
    }

    /**
     * Forgets what was noted about a log that is gone. What the files say about it is harmless until a log of the same
     * name is made.
     *
     * @param partition names the log
     */
    synchronized void forget(TopicPartition partition) {
        boolean isNoted = recoveryPoints.remove(partition) != null;
        isNoted |= highWatermarks.remove(partition) != null;
        isNoted |= logStarts.remove(partition) != null;
        if (isNoted) {
            forgotten.add(partition);
        }
        opened.remove(partition);
        closedInRun.remove(partition);
    }

    /**
     * Forgets logs that are gone.
     *
     * @param existing logs that are not
     */
    synchronized void forgetAllBut(List<TopicPartition> existing) {
        final Set<TopicPartition> gone = new HashSet<>(recoveryPoints.keySet());
        gone.addAll(highWatermarks.keySet());
        gone.addAll(logStarts.keySet());
        existing.forEach(gone::remove);
        gone.forEach(this::forget);
    }

    /**
     * Forgets durably what was noted about an earlier log of the name, before a new one is made: its marks would be
     * taken for the new one's. One writing does it for all logs that were forgotten since the last one.
     *
     * @param partition names the log
     * @throws IOException when it may not be durable
     */
    synchronized void beginAnew(TopicPartition partition) throws IOException {
        forget(partition);
        if (forgotten.contains(partition)) {
            recoveryFile.write(recoveryPoints);
            highWatermarkFile.write(highWatermarks);
            logStartFiles.write(logStarts);
            forgotten.clear();
        }
    }

    /**
     * The high watermark that was checkpointed last.
     *
     * @param partition names the log
     * @return an offset, 0 when there is none
     */
    synchronized long highWatermark(TopicPartition partition) {
        return highWatermarks.getOrDefault(partition, 0L);
    }

    /**
     * Replaces high watermarks durably and keeps the others.
     *
     * @param offsets by partition
     * @param existing partitions whose folders are there; entries of others go
     * @throws IOException when they may not be durable
     */
    synchronized void writeHighWatermarks(Map<TopicPartition, Long> offsets, List<TopicPartition> existing)
            throws IOException {
        for (final Map.Entry<TopicPartition, Long> entry : offsets.entrySet()) {
            if (entry.getValue() < 0) {
                throw new IllegalArgumentException("high watermark is negative: log=" + entry.getKey()
                        + ", highWatermark=" + entry.getValue() + "; offsets count from 0");
            }
        }
        beginRun();
        final Map<TopicPartition, Long> next = new HashMap<>(highWatermarks);
        next.keySet().retainAll(new HashSet<>(existing));
        next.putAll(offsets);
        highWatermarkFile.write(next);
        highWatermarks.clear();
        highWatermarks.putAll(next);
    }

    /**
     * Notes that a log was opened, and so recovered.
     *
     * @param log that was opened
     */
    synchronized void logOpened(Log log) {
        opened.add(log.partition());
        closedInRun.remove(log.partition());
        recoveryPoints.put(log.partition(), log.flushedOffset());
    }

    /**
     * Notes how a log was closed.
     *
     * @param log that was closed
     */
    synchronized void logClosed(Log log) {
        if (log.isFailed()) {
            isSpoiled = true;
            closedInRun.put(log.partition(), LastStop.PROCESS_ENDED);
        } else {
            closedInRun.put(log.partition(), LastStop.CLEAN);
            recoveryPoints.put(log.partition(), log.flushedOffset());
        }
    }

    /**
     * Notes durably that a log failed. After a failed force the kernel may drop what it could not write and call the
     * rest clean, so that a process that is killed then and started again on the same machine finds less than it
     * wrote: the next incarnation must not count as intact.
     */
    synchronized void noteLoss() {
        isSpoiled = true;
        if (!isRunning || state.lossPossible()) {
            return;
        }
        final StoreState next = new StoreState(
                state.incarnation(),
                state.intactSince(),
                true,
                state.machineEnded(),
                state.bootId(),
                state.mountId(),
                state.controllerEpoch());
        state = next;
        try {
            files.writeState(next);
        } catch (final IOException e) {
            // The disk takes nothing any more. The log has failed with the cause, so that the replica serves no more in
            // this run, and its broker tells its operator; this run knows of the loss, only a later one may not.
            isSpoiled = true;
        }
    }

    /** Notes that something failed, so that the run does not end as a clean one. */
    synchronized void spoil() {
        isSpoiled = true;
    }

    /**
     * Writes the recovery points, and the marker of a clean stop if nothing failed.
     *
     * @param existing partitions whose folders are there
     * @throws IOException when it may not be durable
     */
    synchronized void close(List<TopicPartition> existing) throws IOException {
        if (!isRunning) {
            return;
        }
        recoveryPoints.keySet().retainAll(new HashSet<>(existing));
        recoveryFile.write(recoveryPoints);
        if (logStarts.keySet().retainAll(new HashSet<>(existing))) {
            logStartFiles.write(logStarts);
        }
        if (!isSpoiled) {
            final List<TopicPartition> unrecovered = new ArrayList<>();
            for (final TopicPartition partition : existing) {
                if (!opened.contains(partition) && lastStopOf(partition) != LastStop.CLEAN) {
                    unrecovered.add(partition);
                }
            }
            files.writeCleanStop(state.incarnation(), unrecovered);
        }
    }
}
