package io.tidemark.conductor;

import io.tidemark.controller.TopicChange;
import io.tidemark.partition.PartitionId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Waits until every replica of new partitions has its record: until its broker has answered the controller's message,
 * for the very topic id and in the leader epoch of the creation or a later one. Owned by the conductor; one object per
 * term.
 */
final class ReplicaAnswers {
    private final List<Wait> waits = new ArrayList<>();

    /** Begins with nothing to wait for. */
    ReplicaAnswers() {}

    /**
     * Begins to wait.
     *
     * @param change the new partitions
     * @param own this broker, which needs no message
     * @param deadlineNs when the waiting ends
     * @param onEnd is given the brokers that have not answered, in order; none if all have
     */
    void await(TopicChange change, int own, long deadlineNs, Consumer<Set<Integer>> onEnd) {
        Set<Expected> missing = new HashSet<>();
        for (int i = 0; i < change.partitions().size(); i++) {
            PartitionId id = new PartitionId(change.topic().topicId(), change.firstPartition() + i);
            for (int broker : change.partitions().get(i).assignment()) {
                if (broker != own) {
                    missing.add(new Expected(broker, id));
                }
            }
        }
        waits.add(new Wait(missing, deadlineNs, onEnd));
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
                wait.missing.remove(new Expected(broker, record.id()));
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
        List<Wait> ended = new ArrayList<>();
        for (Iterator<Wait> all = waits.iterator(); all.hasNext(); ) {
            Wait wait = all.next();
            if (wait.missing.isEmpty() || wait.deadlineNs - nowNs <= 0) {
                all.remove();
                ended.add(wait);
            }
        }
        for (Wait wait : ended) {
            Set<Integer> brokers = new TreeSet<>();
            wait.missing.forEach(expected -> brokers.add(expected.broker));
            wait.onEnd.accept(brokers);
        }
        return ended.size();
    }

    /**
     * Whether somebody waits.
     *
     * @return true if so
     */
    boolean isBusy() {
        return !waits.isEmpty();
    }

    /** A replica that must answer. */
    private record Expected(int broker, PartitionId id) {}

    private record Wait(Set<Expected> missing, long deadlineNs, Consumer<Set<Integer>> onEnd) {}
}
