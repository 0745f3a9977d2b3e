package io.tidemark.conductor;

import io.tidemark.controller.AdminResult;
import io.tidemark.controller.AdminWish;
import io.tidemark.controller.PartitionResult;
import io.tidemark.coordination.Change;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Leadership;
import io.tidemark.coordination.Listing;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnResult;
import io.tidemark.coordination.Version;
import io.tidemark.coordination.Watch;
import io.tidemark.coordination.WatchListener;
import io.tidemark.metadata.AdminInboxJson;
import io.tidemark.metadata.MetadataFormatException;
import io.tidemark.metadata.MetadataKeys;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The keys below {@code /admin} that a person may write by hand: reassignments and elections of preferred leaders. Each
 * is turned into wishes about single partitions, and deleted once all of them have ended: what is under way then stands
 * in the records alone. What cannot be read, or is refused, is reported, and holds up nothing else.
 *
 * <p>Deleted is the version that was taken: if it is replaced meanwhile, the new one is taken too. A controller that is
 * lost in between leaves the key to the next one, for which the finished part is nothing to do. One watch, whatever is
 * in it. Owned by the conductor; one object per term.
 */
final class AdminInboxes {
    /** What an inbox needs from the controller's office, and what it tells it. */
    interface Desk {
        /**
         * Makes a change.
         *
         * @param wish the change
         * @param reply is given the result; null if the term ended before
         * @return false if too many are under way; the reply is not used then
         */
        boolean submit(AdminWish wish, Consumer<@Nullable AdminResult> reply);

        /**
         * Runs something again after a pause.
         *
         * @param action what to do
         */
        void later(Runnable action);

        /**
         * The term is over.
         *
         * @param reason for the log
         */
        void superseded(String reason);

        /**
         * A call failed and is tried again.
         *
         * @param cause why
         */
        void attemptFailed(Throwable cause);

        /**
         * Something in an inbox is not done.
         *
         * @param key the inbox
         * @param reason what, where, what to do
         */
        void inboxRefused(Key key, String reason);
    }

    private final Coordination coordination;
    private final CoordinationCalls calls;
    private final Leadership leadership;
    private final Desk desk;
    private final Watch watch;
    private final Map<Key, Version> taken = new HashMap<>();
    private boolean isClosed;

    /**
     * Begins to watch.
     *
     * @param coordination the service
     * @param conductor runs tasks on the conductor
     * @param leadership the term, which every write checks
     * @param desk the controller's office
     */
    AdminInboxes(Coordination coordination, Executor conductor, Leadership leadership, Desk desk) {
        this.coordination = coordination;
        this.calls = new CoordinationCalls(conductor);
        this.leadership = leadership;
        this.desk = desk;
        this.watch = coordination.watch(MetadataKeys.ADMIN, new WatchListener() {
            @Override
            public void onSnapshot(Listing state) {
                conductor.execute(() -> state.entries().forEach(AdminInboxes.this::take));
            }

            @Override
            public void onChanges(List<Change> changes, long revision) {
                conductor.execute(() -> {
                    for (Change change : changes) {
                        if (change instanceof Change.Put put) {
                            take(put.entry());
                        }
                    }
                });
            }
        });
    }

    /** Ends the watch; what is under way is left to the next controller. */
    void close() {
        isClosed = true;
        watch.close();
    }

    private void take(Entry entry) {
        boolean isInbox = entry.key().equals(MetadataKeys.REASSIGN_PARTITIONS)
                || entry.key().equals(MetadataKeys.PREFERRED_REPLICA_ELECTION);
        if (isClosed || !isInbox || entry.version().equals(taken.put(entry.key(), entry.version()))) {
            return;
        }
        AdminInboxJson content;
        try {
            content = entry.key().equals(MetadataKeys.REASSIGN_PARTITIONS)
                    ? AdminInboxJson.reassignments(entry.key().path(), entry.value())
                    : AdminInboxJson.elections(entry.key().path(), entry.value());
        } catch (MetadataFormatException broken) {
            desk.inboxRefused(entry.key(), String.valueOf(broken.getMessage()));
            delete(entry);
            return;
        }
        content.problems().forEach(problem -> desk.inboxRefused(entry.key(), problem));
        submit(entry, content);
    }

    private void submit(Entry entry, AdminInboxJson content) {
        if (isClosed) {
            return;
        }
        // An empty list in a file means nothing, not everything.
        if (content.changes().targets().isEmpty() && !content.isForAll()) {
            delete(entry);
            return;
        }
        boolean isTaken = desk.submit(content.changes(), result -> {
            if (result != null) {
                report(entry.key(), result);
                delete(entry);
            }
        });
        if (!isTaken) {
            desk.later(() -> submit(entry, content));
        }
    }

    private void report(Key key, AdminResult result) {
        if (result instanceof AdminResult.Partitions partitions) {
            for (PartitionResult one : partitions.results()) {
                boolean isMet = one.outcome() == PartitionResult.Outcome.DONE
                        || one.outcome() == PartitionResult.Outcome.NO_CHANGE;
                if (!isMet) {
                    desk.inboxRefused(key, one.message());
                }
            }
        } else if (result instanceof AdminResult.Refused refused) {
            desk.inboxRefused(key, refused.message());
        }
    }

    private void delete(Entry entry) {
        if (isClosed) {
            return;
        }
        Txn txn = leadership
                .guard(Txn.builder().delete(entry.key(), entry.version()))
                .build();
        calls.then(
                coordination.commit(txn),
                result -> {
                    if (!isClosed && result instanceof TxnResult.Conflict conflict && conflict.opIndex() > 0) {
                        desk.superseded("an inbox found a later controller epoch: key=" + entry.key());
                    }
                },
                failure -> {
                    if (!isClosed) {
                        desk.attemptFailed(failure);
                        desk.later(() -> delete(entry));
                    }
                });
    }
}
