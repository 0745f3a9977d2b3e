package io.tidemark.conductor;

import io.tidemark.controller.TopicState;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Brings what this broker hears of partitions and topics to where it counts: the view, the roles, the disk. It hears of
 * it from the controller; when it begins a life, when it has heard nothing for a while, or when something does not fit,
 * it reads all of it. Deletions always come before records, so that a name is free for whoever has it next. Owned by
 * the conductor.
 */
final class KnownState {
    private final ClusterView view;
    private final StateReader reader;
    private final RoleDriver roles;
    private final Strays strays;
    private final ConductorLog log;
    private final ControllerSilence silence = new ControllerSilence();
    private boolean isRead;

    /**
     * Knows nothing yet.
     *
     * @param view where it is kept
     * @param reader reads all of it
     * @param roles of this broker
     * @param strays compares the disk with it
     * @param log of this broker
     */
    KnownState(ClusterView view, StateReader reader, RoleDriver roles, Strays strays, ConductorLog log) {
        this.view = view;
        this.reader = reader;
        this.roles = roles;
        this.strays = strays;
        this.log = log;
    }

    /**
     * Begins to listen for a controller.
     *
     * @param nowNs now
     */
    void begin(long nowNs) {
        silence.heard(nowNs);
    }

    /**
     * Takes what the controller sent.
     *
     * @param records records, maybe none
     * @param deleted ids of deleted topics, maybe none
     * @param nowNs now
     */
    void heard(List<VersionedRecord> records, List<UUID> deleted, long nowNs) {
        silence.heard(nowNs);
        deleted(deleted);
        records.forEach(this::recordSeen);
    }

    /**
     * Takes a record.
     *
     * @param record the record, maybe not newer than the known one
     */
    void recordSeen(VersionedRecord record) {
        if (view.apply(record)) {
            log.recordLearnt(record);
            roles.apply(record);
        }
        configured(record.topic());
    }

    /**
     * Takes a topic, whose configuration may be another one.
     *
     * @param topic the topic, maybe not newer than the known one
     */
    void configured(TopicState topic) {
        view.apply(topic);
        TopicState newest = view.topic(topic.topicId());
        if (newest != null) {
            roles.configured(newest);
        }
    }

    /**
     * Takes the news that topics are deleted.
     *
     * @param topicIds their ids, maybe known before
     */
    void deleted(Collection<UUID> topicIds) {
        for (UUID topicId : topicIds) {
            if (view.delete(topicId)) {
                roles.deleted(topicId);
            }
        }
    }

    /** Reads everything, and compares the disk with it. */
    void read() {
        reader.read((records, deleted) -> {
            isRead = true;
            deleted(deleted);
            for (VersionedRecord record : records) {
                view.apply(record);
                VersionedRecord newest = view.record(record.id());
                if (newest != null) {
                    roles.apply(newest);
                    configured(record.topic());
                }
            }
            strays.compare(Set.copyOf(deleted));
        });
    }

    /** Reads everything unless that is under way: something was missed. */
    void readAgain() {
        if (!reader.isReading()) {
            read();
        }
    }

    /**
     * Reads everything after a long silence.
     *
     * @param nowNs now
     * @return count of things done
     */
    int tick(long nowNs) {
        if (!isRead || !silence.isOver(nowNs)) {
            return 0;
        }
        read();
        return 1;
    }

    /**
     * Whether everything was read once.
     *
     * @return true from then on
     */
    boolean isRead() {
        return isRead;
    }

    /** Gives up what is being read. */
    void close() {
        reader.close();
    }
}
