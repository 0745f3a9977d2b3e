package io.tidemark.conductor;

import io.tidemark.coordination.Key;
import io.tidemark.log.TopicPartition;
import io.tidemark.metadata.MetadataFormatException;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the conductor tells operators: few lines, of which an ERROR means that somebody must act; and what it counts.
 * Written by the conductor, but for {@link #requestDropped}; {@link #counters} and {@link #lastFailure} any thread.
 */
final class ConductorLog implements RoleDriver.Failures, Strays.Events {
    private static final Logger LOG = LoggerFactory.getLogger(ConductorAgent.class);

    private final int brokerId;
    private final Supplier<Map<String, Long>> laneCounters;
    private final AtomicLong controllerTerms = new AtomicLong();
    private final AtomicLong droppedRequests = new AtomicLong();
    private volatile String lastFailure = "";

    /**
     * Begins with nothing counted.
     *
     * @param brokerId names the broker in each line
     * @param laneCounters what the lane counts
     */
    ConductorLog(int brokerId, Supplier<Map<String, Long>> laneCounters) {
        this.brokerId = brokerId;
        this.laneCounters = laneCounters;
    }

    /**
     * Everything that the broker counts.
     *
     * @return values by name
     */
    Map<String, Long> counters() {
        Map<String, Long> all = new TreeMap<>(laneCounters.get());
        all.put("controller.terms", controllerTerms.get());
        all.put("conductor.dropped", droppedRequests.get());
        return all;
    }

    /**
     * Why the last call to coordination failed.
     *
     * @return the text, empty if none failed
     */
    String lastFailure() {
        return lastFailure;
    }

    /**
     * Says that a life of the broker began.
     *
     * @param registration what was written
     */
    void registered(Registration registration) {
        LOG.info(
                "broker {} is registered: incarnation={}, intactSince={}, clusterId={}",
                brokerId,
                registration.broker().incarnation(),
                registration.broker().intactSince(),
                registration.clusterId());
    }

    /**
     * Says that the broker may do nothing until it is registered again.
     *
     * @param reason why
     */
    void fenced(String reason) {
        LOG.warn("broker {} is fenced until it is registered again: {}", brokerId, reason);
    }

    /**
     * Says that the broker needs its operator.
     *
     * @param reason what happened
     * @param cause the failure, null if there is none
     */
    void gaveUp(String reason, @Nullable Throwable cause) {
        LOG.error("broker {} gives up its roles for good: {}; restart it", brokerId, reason, cause);
    }

    /**
     * Says that the registration could not be removed.
     *
     * @param cause why
     */
    void registrationLeft(Throwable cause) {
        LOG.warn(
                "broker {} could not remove its registration, which ends with its time to live: {}",
                brokerId,
                cause.getMessage());
    }

    @Override
    public void attemptFailed(Throwable cause) {
        lastFailure = String.valueOf(cause.getMessage());
        LOG.debug("broker {}: a call to coordination failed and is tried again", brokerId, cause);
    }

    /**
     * Says that a stored value is passed over.
     *
     * @param broken names its key
     */
    void brokenValue(MetadataFormatException broken) {
        LOG.error("broker {} passes over a value that it cannot read: {}", brokerId, broken.getMessage());
    }

    /**
     * Says that a request was no request.
     *
     * @param broken what was wrong with it
     */
    void brokenRequest(RuntimeException broken) {
        LOG.warn("broker {} dropped a request that it cannot read: {}", brokerId, broken.getMessage());
    }

    /** Counts a request that found too many before it. Any thread. */
    void requestDropped() {
        droppedRequests.incrementAndGet();
    }

    /**
     * Says that a follower stands still.
     *
     * @param partition its name
     * @param cause why
     */
    void followerFailed(String partition, Throwable cause) {
        LOG.error(
                "broker {} stopped following partition {}: its log has failed; check the disk, then restart the broker",
                brokerId,
                partition,
                cause);
    }

    @Override
    public void openFailed(TopicPartition topicPartition, Throwable cause) {
        LOG.error(
                "broker {} cannot open the log of {}: it takes no role for this partition until it is restarted",
                brokerId,
                topicPartition,
                cause);
    }

    @Override
    public void deleteFailed(TopicPartition topicPartition, Throwable cause) {
        LOG.warn(
                "the log of a deleted topic cannot be deleted: brokerId={}, log={}, {}; the next start tries again",
                brokerId,
                topicPartition,
                String.valueOf(cause.getMessage()));
    }

    @Override
    public void leftoverDeleted(TopicPartition topicPartition, UUID topicId) {
        LOG.info(
                "deleted the log of a topic that was deleted while this broker was away: brokerId={}, log={},"
                        + " topicId={}",
                brokerId,
                topicPartition,
                topicId);
    }

    @Override
    public void straySetAside(TopicPartition topicPartition, UUID topicId) {
        LOG.warn(
                "set aside a log that no record gives to this broker, and whose topic is not known to be deleted:"
                        + " brokerId={}, log={}, topicId={}; look at the folder that ends with -stray and delete it",
                brokerId,
                topicPartition,
                topicId);
    }

    /**
     * A wish that was written by hand is removed.
     *
     * @param key where it stood
     * @param reason why it is not met
     */
    void wishRefused(String key, String reason) {
        LOG.warn("a wish is not met and removed: key={}, {}", key, reason);
    }

    /**
     * Traces a record.
     *
     * @param record the newest of its partition
     */
    void recordLearnt(VersionedRecord record) {
        LOG.debug("broker {} learnt {} of {}", brokerId, record.state(), record.id());
    }

    /**
     * Says that this broker changed an ISR.
     *
     * @param partition its name
     * @param state the record that was written
     */
    void isrChanged(String partition, PartitionState state) {
        LOG.info("broker {} changed the ISR of {} to {}, elr={}", brokerId, partition, state.isr(), state.elr());
    }

    /**
     * Says that a process was proven to be gone.
     *
     * @param broker its id
     * @param incarnation its registration number
     */
    void peerDead(int broker, long incarnation) {
        LOG.info("broker {} found broker {} dead: incarnation={}", brokerId, broker, incarnation);
    }

    /**
     * Says that the key of a dead controller was deleted by this broker.
     *
     * @param controller its process
     * @param witnesses who found it dead besides this broker
     */
    void deposed(Replica controller, Set<Replica> witnesses) {
        LOG.info("broker {} deposed the dead controller {}: witnesses={}", brokerId, controller, witnesses);
    }

    /**
     * Says that this broker is controller.
     *
     * @param epoch its term
     */
    void elected(long epoch) {
        controllerTerms.incrementAndGet();
        LOG.info("broker {} is controller: epoch={}", brokerId, epoch);
    }

    /**
     * Says that this broker is not controller any more.
     *
     * @param epoch the term that ended
     * @param reason why
     */
    void leftOffice(long epoch, String reason) {
        LOG.info("broker {} is not controller any more: epoch={}, reason={}", brokerId, epoch, reason);
    }

    /** Says that this broker hands over what it leads, and then leaves. */
    void leaving() {
        LOG.info("broker {} is leaving: the others take over what it leads", brokerId);
    }

    /**
     * Says that something in an inbox is not done.
     *
     * @param key the inbox
     * @param reason what, where, what to do
     */
    void inboxRefused(Key key, String reason) {
        LOG.warn("broker {} as controller refuses a part of an inbox: key={}: {}", brokerId, key, reason);
    }
}
