package io.tidemark.log;

import io.tidemark.log.io.FileSystem;
import io.tidemark.log.io.SystemFileSystem;
import io.tidemark.log.retention.RetentionRules;
import io.tidemark.log.segment.DiskReserve;
import io.tidemark.log.segment.DyingFiles;
import io.tidemark.log.segment.MappingCache;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.SystemNanoClock;

/**
 * One data folder with many logs, locked against a second process and a second store in this JVM.
 *
 * <p><b>Threading.</b> Any thread, except {@link #maintain()}, which belongs to one maintenance thread at a time. Logs
 * may be opened and closed by several threads at once, each log by one.
 *
 * <p><b>Errors.</b> A log that fails does not disturb the others; after a failure there is no clean-stop marker, so
 * that the next start recovers.
 */
public final class LogStore implements AutoCloseable {
    /** Stands for an incarnation that is not there. */
    public static final long NO_INCARNATION = -1;

    private final Path directory;
    private final FileSystem fileSystem;
    private final Closeable lock;
    private final DyingFiles dying = new DyingFiles();
    private final LogFolders folders;
    private final StoreLedger ledger;
    private final LogOpening opening;
    private final DiskReserve reserve;
    private final StoreMaintenance maintenance;
    private final LogRemoval removal;
    private final StoreClock clock;
    private final StoreOwner owner;
    private final Map<TopicPartition, Log> logs = new ConcurrentHashMap<>();
    private final Set<TopicPartition> busy = ConcurrentHashMap.newKeySet();
    /** Held for a cycle of maintenance, which closing waits for: it would go on in a folder that is not ours. */
    private final Object maintenanceLock = new Object();

    private volatile boolean closed;

    private LogStore(Path directory, LogStoreConfig config, FileSystem fileSystem, StoreClock clock, Closeable lock)
            throws IOException {
        this.directory = directory;
        this.fileSystem = fileSystem;
        this.clock = clock;
        this.lock = lock;
        final MappingCache cache = new MappingCache(config.mappingsMax());
        this.folders = new LogFolders(fileSystem, directory);
        this.reserve = new DiskReserve(fileSystem, directory, config.reserveOn(fileSystem, directory));
        this.ledger = new StoreLedger(
                fileSystem, directory, config.checkpointInterval().toNanos(), clock.nanoClock());
        final OpenWriters writers = new OpenWriters(config.writersMax());
        this.owner = new StoreOwner(logs, ledger, writers);
        this.opening = new LogOpening(
                fileSystem,
                folders,
                ledger,
                cache,
                new LogHost(owner, dying, reserve, clock.wallClock(), clock.nanoClock()));
        this.removal = new LogRemoval(folders, ledger, dying, clock.nanoClock());
        this.maintenance = new StoreMaintenance(
                new StoreMaintenance.Parts(
                        writers, reserve, new StoreRetention(ledger, config, clock.nowMs()), dying, ledger, removal),
                directory);
    }

    /**
     * Opens a data folder on the machine's file system, or makes it.
     *
     * @param dir the folder; there is no default
     * @param config settings
     * @return the store
     * @throws StorageException when the folder is in use, cannot be written or is damaged
     * @throws IllegalStateException when the JVM lacks the flag that Agrona needs
     */
    public static LogStore open(Path dir, LogStoreConfig config) {
        JvmFlags.require();
        return open(dir, config, new SystemFileSystem(), SystemEpochClock.INSTANCE, SystemNanoClock.INSTANCE);
    }

    /**
     * Opens a data folder, or makes it.
     *
     * @param dir the folder
     * @param config settings
     * @param fileSystem that holds it
     * @param epochClock wall clock; asked once, because it may jump
     * @param nanoClock monotonic clock; what ages are measured by
     * @return the store
     * @throws StorageException when the folder is in use, cannot be written or is damaged
     * @throws IllegalStateException when the JVM lacks the flag that Agrona needs
     */
    public static LogStore open(
            Path dir, LogStoreConfig config, FileSystem fileSystem, EpochClock epochClock, NanoClock nanoClock) {
        JvmFlags.require();
        final Closeable lock = StoreLock.take(fileSystem, dir);
        try {
            final LogStore store = new LogStore(dir, config, fileSystem, new StoreClock(epochClock, nanoClock), lock);
            store.removal.findLeft();
            return store;
        } catch (final IOException | StorageException e) {
            throw StoreLock.giveBack(lock, dir, e);
        }
    }

    /**
     * Opens a data folder without ever changing it: what is asked to be done is taken for done. For looking at what
     * {@link #recoverAll} would do. The folder is locked as usual.
     *
     * @param dir the folder, which exists
     * @return the store, to be ended by {@link #abandon}
     * @throws StorageException when the folder is in use, missing or damaged
     */
    public static LogStore openDryRun(Path dir) {
        JvmFlags.require();
        return open(
                dir,
                LogStoreConfig.defaults(),
                new DryRunFileSystem(new SystemFileSystem()),
                SystemEpochClock.INSTANCE,
                SystemNanoClock.INSTANCE);
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("store is closed: folder=" + directory + "; open it again");
        }
    }

    private StorageException failed(String what, IOException cause) {
        return new StorageException(what + ": folder=" + directory + "; check the disk", cause);
    }

    /**
     * A fresh id.
     *
     * @return an id that was never used
     */
    UUID newId() {
        return fileSystem.newId();
    }

    /**
     * Whose folder it is.
     *
     * @return the identity
     */
    public StorageIdentity identity() {
        return ledger.identity();
    }

    /**
     * Gives the folder to a broker, durably, or checks that it belongs to it.
     *
     * @param clusterId the cluster
     * @param nodeId the broker, 0 or more
     * @throws StorageException when the folder belongs to another broker or cluster, or cannot be written
     */
    public void bind(String clusterId, int nodeId) {
        requireOpen();
        try {
            ledger.bind(clusterId, nodeId);
        } catch (final IOException e) {
            throw failed("data folder cannot be bound", e);
        }
    }

    /**
     * The incarnation that began last.
     *
     * @return a number, {@link #NO_INCARNATION} when none did
     */
    public long previousIncarnation() {
        return ledger.state().incarnation();
    }

    /**
     * The oldest incarnation since which nothing that was appended can have been lost.
     *
     * @return a number, {@link #NO_INCARNATION} when none began
     */
    public long intactSince() {
        return ledger.state().intactSince();
    }

    /**
     * Begins an incarnation; durable when this returns.
     *
     * @param incarnation of this start, above the previous one
     * @return {@link #intactSince()} of this start: unchanged when the last stop was clean, or the machine and the
     *     mount are still the same and so is the page cache; else the incarnation itself
     * @throws StorageException when it may not be durable
     */
    public long beginIncarnation(long incarnation) {
        requireOpen();
        try {
            return ledger.beginIncarnation(incarnation);
        } catch (final IOException e) {
            throw failed("incarnation cannot be recorded", e);
        }
    }

    /**
     * Whether the run before this one ended cleanly.
     *
     * @return false for a new folder
     */
    public boolean wasCleanlyStopped() {
        return ledger.wasCleanlyStopped();
    }

    /**
     * The highest controller epoch that was recorded.
     *
     * @return an epoch, -1 when none was
     */
    public long highestControllerEpoch() {
        return ledger.state().controllerEpoch();
    }

    /**
     * Records a controller epoch durably; nothing happens when a higher one is known.
     *
     * @param epoch seen
     * @throws StorageException when it may not be durable
     */
    public void recordControllerEpoch(long epoch) {
        requireOpen();
        try {
            ledger.recordControllerEpoch(epoch);
        } catch (final IOException e) {
            throw failed("controller epoch cannot be recorded", e);
        }
    }

    /**
     * Opens a log, or makes it. Whatever was appended may be deleted when the rules of its configuration say so.
     *
     * @param tp names the log
     * @param topicId of its topic
     * @param config settings
     * @return the log; {@link #closeLog} or its own {@code close} ends it
     * @throws IllegalStateException when it is open
     * @throws CorruptLogException when there is damage below its recovery point
     * @throws StorageException when the disk fails
     * @see #openLog(TopicPartition, UUID, LogConfig, LongSupplier)
     */
    public Log openLog(TopicPartition tp, UUID topicId, LogConfig config) {
        return openLog(tp, topicId, config, () -> Long.MAX_VALUE);
    }

    /**
     * Opens a log, or makes it. A folder of the same name that belongs to another topic id is renamed to end with
     * {@code -stray} and left alone.
     *
     * @param tp names the log
     * @param topicId of its topic
     * @param config settings
     * @param retentionLimit what lies at or above it may not be deleted: the high watermark of a replicated log; called
     *     by any thread; negative when nothing may be deleted
     * @return the log; {@link #closeLog} or its own {@code close} ends it
     * @throws IllegalStateException when it is open
     * @throws CorruptLogException when there is damage below its recovery point
     * @throws StorageException when the disk fails
     */
    public Log openLog(TopicPartition tp, UUID topicId, LogConfig config, LongSupplier retentionLimit) {
        return openLog(tp, topicId, config, new LogUse(retentionLimit, false));
    }

    /**
     * Opens a log, or makes it.
     *
     * @param tp names the log
     * @param topicId of its topic
     * @param config settings
     * @param use how it will be used
     * @return the log
     */
    Log openLog(TopicPartition tp, UUID topicId, LogConfig config, LogUse use) {
        requireOpen();
        if (!busy.add(tp)) {
            throw new IllegalStateException("log is being opened: log=" + tp + "; open it once");
        }
        try {
            if (logs.containsKey(tp)) {
                throw new IllegalStateException("log is open: log=" + tp + "; close it first");
            }
            ledger.beginRun();
            final Log log = opening.open(tp, topicId, config, use);
            logs.put(tp, log);
            ledger.logOpened(log);
            return log;
        } catch (final IOException e) {
            throw failed("log cannot be opened: log=" + tp, e);
        } finally {
            busy.remove(tp);
        }
    }

    /**
     * Recovers all logs that were not cleanly closed and are not open, several at a time, so that opening them later
     * costs no time. Waits until all are done.
     *
     * @param config settings of the logs
     * @param executor runs a task for each log; as many logs are recovered at once as it has threads
     * @param listener is told about each log
     * @return the number of logs that could not be recovered, and were left as they were
     * @throws StorageException when the folder cannot be listed
     */
    public int recoverAll(LogConfig config, Executor executor, RecoveryListener listener) {
        requireOpen();
        final List<TopicPartition> unclean = new ArrayList<>(existing());
        unclean.removeIf(partition -> logs.containsKey(partition) || ledger.isClean(partition));
        return new StoreRecovery(this, config, listener, unclean.size()).run(unclean, executor);
    }

    /**
     * Sets who is told that a log has something to do for its owner, see {@link Log#doOwnerWork()}. Without it the next
     * append does it.
     *
     * @param listener called by the maintenance thread; may hand the log to its owner, and must not wait for it
     */
    public void onOwnerWork(Consumer<Log> listener) {
        owner.onOwnerWork(listener);
    }

    /**
     * Whether the disk has so little free space that appends which need more are refused.
     *
     * @return true until enough was freed
     */
    public boolean isLowOnSpace() {
        return reserve.isLow();
    }

    /**
     * The size of all open logs.
     *
     * @return bytes of batches
     */
    public long sizeBytes() {
        return logs.values().stream().mapToLong(Log::sizeBytes).sum();
    }

    /**
     * The logs whose folders are there, open or not.
     *
     * @return names, sorted
     * @throws StorageException when the folder cannot be read
     */
    public List<TopicPartition> existing() {
        try {
            return folders.existing();
        } catch (final IOException e) {
            throw failed("data folder cannot be listed", e);
        }
    }

    /**
     * The topic id that a log's folder states.
     *
     * @param tp names the log
     * @return empty when there is no such folder, or it states none
     * @throws StorageException when the folder cannot be read
     */
    public Optional<UUID> topicIdOf(TopicPartition tp) {
        try {
            return folders.topicIdOf(tp);
        } catch (final IOException e) {
            throw failed("topic id cannot be read: log=" + tp, e);
        }
    }

    /**
     * Changes how long records of a log are kept, from the next look on and until it is closed; nothing happens when it
     * is not open.
     *
     * @param tp names the log
     * @param age see {@link LogConfig#retentionAge()}
     * @param bytes see {@link LogConfig#retentionBytes()}
     */
    public void changeRetention(TopicPartition tp, Duration age, long bytes) {
        final Log log = logs.get(tp);
        if (log != null) {
            log.maintenance().retentionRules(new RetentionRules(age.toMillis(), bytes));
        }
    }

    /**
     * Closes a log; nothing happens when it is not open.
     *
     * @param tp names the log
     * @throws StorageException when not everything could be made durable; the log is closed nevertheless
     */
    public void closeLog(TopicPartition tp) {
        final Log log = logs.get(tp);
        if (log != null) {
            log.close();
        }
    }

    /**
     * Deletes a log, open or not. When this returns, the log is closed, no start will find it again, and a new one of
     * the same name may be opened. {@link #maintain()} gives the space back when the last lease on it was returned;
     * after a crash the next store does. Needs no free space. The owner has stopped. Waits for a cycle of maintenance
     * that is under way.
     *
     * @param tp names the log
     * @param topicId of its topic
     * @return false when there is no such log, or its folder belongs to another topic; nothing happens then
     * @throws IllegalStateException when the log is being opened
     * @throws StorageException when the log may come back
     */
    public boolean delete(TopicPartition tp, UUID topicId) {
        return takeAway(tp, topicId, LogRemoval.DELETED);
    }

    /**
     * Moves a log out of the way, open or not, for somebody to look at: its folder gets a name that ends with
     * {@code -stray}. The owner has stopped; waits for a cycle of maintenance that is under way.
     *
     * @param tp names the log
     * @param topicId of its topic
     * @return false when there is no such log, or its folder belongs to another topic; nothing happens then
     * @throws IllegalStateException when the log is being opened
     * @throws StorageException when the log may come back under its name
     */
    public boolean setAside(TopicPartition tp, UUID topicId) {
        return takeAway(tp, topicId, LogRemoval.STRAY);
    }

    private boolean takeAway(TopicPartition tp, UUID topicId, String suffix) {
        requireOpen();
        if (!busy.add(tp)) {
            throw new IllegalStateException("log is being opened: log=" + tp + "; wait for that first");
        }
        try {
            synchronized (maintenanceLock) {
                return removal.takeAway(tp, topicId, logs.get(tp), suffix);
            }
        } catch (final IOException e) {
            throw failed("log cannot be taken away: log=" + tp, e);
        } finally {
            busy.remove(tp);
        }
    }

    /**
     * Deletes folders that were moved out of the way earlier.
     *
     * @param topicIds topics whose folders are to go
     * @return the number of folders; {@link #maintain()} gives their space back
     * @throws StorageException when the disk fails
     */
    public int deleteStrays(Set<UUID> topicIds) {
        requireOpen();
        try {
            return removal.deleteStrays(topicIds);
        } catch (final IOException e) {
            throw failed("strays cannot be deleted", e);
        }
    }

    /**
     * The number of folders of deleted logs that still take space.
     *
     * @return 0 when nothing waits for {@link #maintain()}
     */
    public int pendingRemovals() {
        return removal.pending();
    }

    /**
     * The high watermark that was checkpointed last: a hint that may be old.
     *
     * @param tp names the log
     * @return an offset, 0 when there is none
     */
    public long checkpointedHighWatermark(TopicPartition tp) {
        return ledger.highWatermark(tp);
    }

    /**
     * Checkpoints high watermarks durably. Entries of other partitions stay as long as their folders are there.
     *
     * @param hws offsets by partition
     * @throws StorageException when they may not be durable
     */
    public void checkpointHighWatermarks(Map<TopicPartition, Long> hws) {
        requireOpen();
        try {
            ledger.writeHighWatermarks(hws, folders.existing());
        } catch (final IOException e) {
            throw failed("high watermarks cannot be checkpointed", e);
        }
    }

    /**
     * One duty cycle of the maintenance thread: preallocates ahead of the writers, forces and seals rolled segments,
     * advances recovery points, stores histories of epochs, deletes what need not be kept, deletes and cuts files whose
     * last lease was given back, and the folders of deleted logs. A log whose disk fails is failed, the others go on.
     * Blocks for forces; so not a thread that others wait for.
     *
     * @return the number of things done
     */
    public int maintain() {
        synchronized (maintenanceLock) {
            return closed ? 0 : maintenance.run(logs.values(), clock.nowMs());
        }
    }

    /**
     * Closes all logs, writes the recovery points, and last of all the marker of a clean stop, unless anything failed.
     * A second call does nothing.
     *
     * @throws StorageException when not everything could be made durable; everything is given back nevertheless
     */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        synchronized (maintenanceLock) {
            closeAll();
        }
    }

    private void closeAll() {
        StorageException problem = null;
        for (final Log log : logs.values()) {
            try {
                log.close();
            } catch (final StorageException e) {
                problem = e;
            }
        }
        try {
            dying.finish();
            ledger.close(folders.existing());
        } catch (final IOException e) {
            problem = failed("data folder cannot be closed cleanly", e);
        }
        try {
            lock.close();
        } catch (final IOException e) {
            problem = failed("lock cannot be given back", e);
        }
        if (problem != null) {
            throw problem;
        }
    }

    /**
     * Lets go of the folder as the end of the process would: nothing is forced, cut or noted, and the next start finds
     * a folder that was not cleanly stopped. The writers must have stopped. For tests and demonstrations of a crash
     * inside a process that lives on; after {@link #close} it does nothing.
     *
     * @throws StorageException when a file or the lock cannot be given back
     */
    public void abandon() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        ledger.spoil();
        try {
            for (final Log log : logs.values()) {
                log.abandon();
            }
            lock.close();
        } catch (final IOException e) {
            throw failed("data folder cannot be abandoned", e);
        }
    }
}
