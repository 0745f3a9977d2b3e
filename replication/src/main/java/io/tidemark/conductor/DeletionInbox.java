package io.tidemark.conductor;

import io.tidemark.controller.AdminResult;
import io.tidemark.controller.DeleteTopic;
import io.tidemark.coordination.Change;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Leadership;
import io.tidemark.coordination.Listing;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnResult;
import io.tidemark.coordination.Watch;
import io.tidemark.coordination.WatchListener;
import io.tidemark.metadata.MetadataKeys;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * Takes the wishes for deletions that somebody wrote below {@code /admin/delete_topics}: the name of the key is that of
 * the topic, its value does not matter. A key goes when its topic is gone, or with a warning when it is not there or
 * must not be deleted. What a predecessor left is found when the term begins. Owned by the conductor; one object per
 * term.
 */
final class DeletionInbox {
    private final Coordination coordination;
    private final CoordinationCalls calls;
    private final Leadership leadership;
    private final ControllerOffice office;
    private final OfficeHost host;
    private final Watch watch;

    /**
     * Begins to look, when the office has begun to decide.
     *
     * @param coordination the service
     * @param conductor runs tasks on the conductor
     * @param leadership guards every write
     * @param office the term, which decides
     * @param host is told of wishes that are not met
     */
    DeletionInbox(
            Coordination coordination,
            Executor conductor,
            Leadership leadership,
            ControllerOffice office,
            OfficeHost host) {
        this.coordination = coordination;
        this.calls = new CoordinationCalls(conductor);
        this.leadership = leadership;
        this.office = office;
        this.host = host;
        this.watch = coordination.watch(MetadataKeys.DELETE_TOPICS, new WatchListener() {
            @Override
            public void onSnapshot(Listing state) {
                conductor.execute(() -> state.entries().forEach(DeletionInbox.this::take));
            }

            @Override
            public void onChanges(List<Change> changes, long revision) {
                for (Change change : changes) {
                    if (change instanceof Change.Put written) {
                        conductor.execute(() -> take(written.entry()));
                    }
                }
            }
        });
    }

    private void take(Entry entry) {
        Optional<String> topic = MetadataKeys.deleteTopicOf(entry.key());
        if (office.isOver() || topic.isEmpty()) {
            return;
        }
        String name = topic.get();
        boolean isTaken = office.admin(new DeleteTopic(name, Optional.empty()), 0, result -> {
            if (office.isOver() || result == null) {
                return;
            }
            if (result instanceof AdminResult.Busy) {
                office.later(() -> take(entry));
                return;
            }
            if (result instanceof AdminResult.Refused refused) {
                host.wishRefused(entry.key().path(), refused.message());
            } else if (result instanceof AdminResult.Unknown unknown) {
                host.wishRefused(entry.key().path(), unknown.message());
            }
            remove(entry);
        });
        if (!isTaken) {
            office.later(() -> take(entry));
        }
    }

    /** A key that was written anew meanwhile is a new wish, which the watch brings. */
    private void remove(Entry entry) {
        Txn txn = leadership
                .guard(Txn.builder().delete(entry.key(), entry.version()))
                .build();
        calls.then(
                coordination.commit(txn),
                result -> {
                    if (!office.isOver() && result instanceof TxnResult.Conflict conflict && conflict.opIndex() > 0) {
                        office.superseded("the removal of a wish found a later controller epoch");
                    }
                },
                failure -> {
                    if (!office.isOver()) {
                        office.attemptFailed(failure);
                        office.later(() -> remove(entry));
                    }
                });
    }

    /** Looks no more. */
    void close() {
        watch.close();
    }
}
