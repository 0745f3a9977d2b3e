package io.tidemark.log;

import io.tidemark.log.io.FileSystem;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;

/** One data folder. */
@SuppressWarnings("DoNotCallSuggester")
public final class LogStore implements AutoCloseable {
    /** No incarnation has begun yet. */
    public static final long NO_INCARNATION = -1;

    private LogStore() {}

    private static UnsupportedOperationException later() {
        return new UnsupportedOperationException("lands within the hour");
    }

    /**
     * Opens.
     *
     * @param dir folder
     * @param config settings
     * @return the store
     */
    public static LogStore open(Path dir, LogStoreConfig config) {
        throw later();
    }

    /**
     * Opens.
     *
     * @param dir folder
     * @param config settings
     * @param fileSystem seam
     * @param epochClock wall clock
     * @param nanoClock monotonic clock
     * @return the store
     */
    public static LogStore open(
            Path dir, LogStoreConfig config, FileSystem fileSystem, EpochClock epochClock, NanoClock nanoClock) {
        throw later();
    }

    /**
     * Identity.
     *
     * @return what the folder holds
     */
    public StorageIdentity identity() {
        throw later();
    }

    /**
     * Binds.
     *
     * @param clusterId cluster
     * @param nodeId broker
     */
    public void bind(String clusterId, int nodeId) {
        throw later();
    }

    /**
     * Previous.
     *
     * @return incarnation or NO_INCARNATION
     */
    public long previousIncarnation() {
        throw later();
    }

    /**
     * Intact since.
     *
     * @return incarnation or NO_INCARNATION
     */
    public long intactSince() {
        throw later();
    }

    /**
     * Begins.
     *
     * @param incarnation new one
     * @return intactSince of this start
     */
    public long beginIncarnation(long incarnation) {
        throw later();
    }

    /**
     * Clean.
     *
     * @return whether the last stop was clean
     */
    public boolean wasCleanlyStopped() {
        throw later();
    }

    /**
     * Highest controller epoch.
     *
     * @return an epoch, -1 when none
     */
    public long highestControllerEpoch() {
        throw later();
    }

    /**
     * Records.
     *
     * @param epoch seen
     */
    public void recordControllerEpoch(long epoch) {
        throw later();
    }

    /**
     * Opens a log.
     *
     * @param tp name
     * @param topicId id
     * @param config settings
     * @return the log
     */
    public Log openLog(TopicPartition tp, UUID topicId, LogConfig config) {
        throw later();
    }

    /**
     * Folders found.
     *
     * @return names
     */
    public List<TopicPartition> existing() {
        throw later();
    }

    /**
     * Topic id of a folder.
     *
     * @param tp name
     * @return id
     */
    public Optional<UUID> topicIdOf(TopicPartition tp) {
        throw later();
    }

    /**
     * Closes a log.
     *
     * @param tp name
     */
    public void closeLog(TopicPartition tp) {
        throw later();
    }

    /**
     * HW.
     *
     * @param tp name
     * @return offset, 0 when none
     */
    public long checkpointedHighWatermark(TopicPartition tp) {
        throw later();
    }

    /**
     * HWs.
     *
     * @param hws by partition
     */
    public void checkpointHighWatermarks(Map<TopicPartition, Long> hws) {
        throw later();
    }

    /**
     * Duty cycle.
     *
     * @return work count
     */
    public int maintain() {
        throw later();
    }

    @Override
    public void close() {
        throw later();
    }
}
