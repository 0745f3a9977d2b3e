package io.tidemark.coordination.zk;

import org.apache.zookeeper.Watcher.Event.EventType;

/**
 * The events of one node that a watch has not followed yet. Immutable.
 *
 * @param first the revision of the first
 * @param last the revision of the last
 * @param lastDeletion the revision of the last deletion among them; 0 if there is none, or if the server gives no
 *     revision with an event (before 3.9)
 */
record NodeEvents(long first, long last, long lastDeletion) {
    /** No event. */
    static final NodeEvents NONE = new NodeEvents(0, 0, 0);

    /**
     * Makes one of one event.
     *
     * @param type what happened
     * @param revision the transaction that did it; negative if the server gives none
     * @return the event
     */
    static NodeEvents of(EventType type, long revision) {
        return new NodeEvents(revision, revision, type == EventType.NodeDeleted ? Math.max(revision, 0) : 0);
    }

    /**
     * Adds what happened later.
     *
     * @param later the events after these
     * @return both
     */
    NodeEvents and(NodeEvents later) {
        return new NodeEvents(first, later.last, Math.max(lastDeletion, later.lastDeletion));
    }

    /**
     * The revision of the deletion that a reading without the node shows. Not that of the last event: the node may have
     * been created again between the reading and now, and that creation is a change of its own.
     *
     * @param readRevision the state of the store that was read
     * @return the revision of the deletion; that of the reading if no event tells it
     */
    long deletedAt(long readRevision) {
        return lastDeletion > 0 ? lastDeletion : readRevision;
    }
}
