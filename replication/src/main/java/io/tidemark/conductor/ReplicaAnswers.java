package io.tidemark.conductor;

import io.tidemark.controller.TopicChange;
import io.tidemark.partition.PartitionId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Waits until every replica of new partitions has its record: until its broker has answered the controller's message,
 * for the very topic id and in the leader epoch of the creation or a later one. It listens from before the records are
 * stored: the watch may show them, and a broker may answer, before the controller hears that its write is done.
 * Owned by the conductor; one object per term.
 */
final class ReplicaAnswers {
    /** Instead of a partition: the whole topic is deleted. */
    private static final int DELETION = -1;

    private final List<Wait> waits = new ArrayList<>();

    /** Begins with nothing to wait for. */
    ReplicaAnswers() {}

    /**
     * Begins to listen for the answers.
     *
     * @param change the new partitions, not stored yet
     * @param own this broker, which needs no message
     * @return the wait, to be handed to {@link #await} or {@link #forget}
     */
    Wait listen(TopicChange change, int own) {
        Set<Expected> missing = new HashSet<>();
        for (int i = 0; i < change.partitions().size(); i++) {
            PartitionId id = new PartitionId(change.topic().topicId(), change.firstPartition() + i);
            for (int broker : change.partitions().get(i).assignment()) {
                if (broker != own) {
                    missing.add(new Expected(broker, id.topicId(), id.partition()));
                }
            }
        }
        Wait wait = new Wait(missing);
        waits.add(wait);
        return wait;
    }

    /**
     * Begins to listen for brokers that know of a deletion.
     *
     * @param topicId the topic, not deleted yet
     * @param brokers who must answer
     * @return the wait, to be handed to {@link #await} or {@link #forget}
     */
    Wait listen(UUID topicId, Set<Integer> brokers) {
        Set<Expected> missing = new HashSet<>();
        brokers.forEach(broker -> missing.add(new Expected(broker, topicId, DELETION)));
        Wait wait = new Wait(missing);
        waits.add(wait);
        return wait;
    }

    /**
     * Takes a broker's answer about deletions.
     *
     * @param broker its id
     * @param topicIds what it knows to be deleted now
     */
    void takenDeletions(int broker, List<UUID> topicIds) {
        for (Wait wait : waits) {
            topicIds.forEach(topicId -> wait.missing.remove(new Expected(broker, topicId, DELETION)));
        }
    }

    /**
     * Takes the registered brokers. One that has left reads of deletions when it returns, and is not waited for.
     *
     * @param registered their ids
     */
    void brokersChanged(Set<Integer> registered) {
        for (Wait wait : waits) {
            wait.missing.removeIf(expected -> expected.partition == DELETION && !registered.contains(expected.broker));
        }
    }

    /**
     * Begins to wait for the answers that have not come yet.
     *
     * @param wait what was listened for
     * @param deadlineNs when the waiting ends
     * @param onEnd is given the brokers that have not answered, in order; none if all have
     */
    void await(Wait wait, long deadlineNs, Consumer<Set<Integer>> onEnd) {
        wait.deadlineNs = deadlineNs;
        wait.onEnd = onEnd;
    }

    /**
     * Ends the listening: nobody will wait.
     *
     * @param wait what was listened for
     */
    void forget(Wait wait) {
        waits.remove(wait);
    }

    /**
     * Takes a broker's answer.
     *
     * @param broker its id
     * @param records what it has now
     */
    void taken(int broker, List<VersionedRecord> records) {
        for (Wait wait : waits) {
            for (VersionedRecord record : records) {
                wait.missing.remove(
                        new Expected(broker, record.id().topicId(), record.id().partition()));
            }
        }
    }

    /**
     * Ends the waits that have all answers or no time left.
     *
     * @param nowNs now
     * @return count of ended waits
     */
    int tick(long nowNs) {
        List<Wait> ended = waits.stream()
                .filter(wait -> wait.onEnd != null && (wait.missing.isEmpty() || wait.deadlineNs - nowNs <= 0))
                .toList();
        waits.removeAll(ended);
        ended.forEach(Wait::end);
        return ended.size();
    }

    /**
     * Whether somebody waits.
     *
     * @return true if so
     */
    boolean isBusy() {
        return waits.stream().anyMatch(wait -> wait.onEnd != null);
    }

    /** A replica, or for {@link #DELETION} a broker, that must answer. */
    private record Expected(int broker, UUID topicId, int partition) {}

    /** The answers to one change. */
    static final class Wait {
        private final Set<Expected> missing;
        private long deadlineNs;
        private @Nullable Consumer<Set<Integer>> onEnd;

        private Wait(Set<Expected> missing) {
            this.missing = missing;
        }

        private void end() {
            Set<Integer> brokers = new TreeSet<>();
            missing.forEach(expected -> brokers.add(expected.broker));
            Objects.requireNonNull(onEnd).accept(brokers);
        }
    }
}
