package io.tidemark.conductor;

import io.tidemark.controller.AdminResult;
import io.tidemark.controller.AdminWish;
import io.tidemark.controller.ControllerCore;
import io.tidemark.controller.ControllerDecisions;
import io.tidemark.controller.ControllerSettings;
import io.tidemark.controller.TopicChange;
import io.tidemark.controller.TopicState;
import io.tidemark.controller.VersionedState;
import io.tidemark.coordination.Change;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Leadership;
import io.tidemark.coordination.Listing;
import io.tidemark.coordination.ReadMode;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnResult;
import io.tidemark.coordination.Version;
import io.tidemark.coordination.Watch;
import io.tidemark.coordination.WatchListener;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.metadata.MetadataKeys;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import io.tidemark.partition.StateVersion;
import io.tidemark.transport.Transport;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One term of this broker as controller: carries out what {@link ControllerCore} decides. Every write checks, in the
 * same transaction, that no later controller was elected; one partition's write never waits for another's. All topics
 * are seen by one recursive watch, listed and then followed.
 *
 * <p>{@link #close} drops the queue of decisions, the timers and the watch before anything else; what is still under
 * way then either landed while this was the controller, or conflicts. Owned by the conductor; one object per term.
 */
final class ControllerOffice
        implements ControllerDecisions, BrokerLink.Office, TopicEntries.Receiver, TopicStorage.Term, AdminInboxes.Desk {
    private static final long RETRY_MIN_NS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long RETRY_MAX_NS = TimeUnit.SECONDS.toNanos(2);

    private final int brokerId;
    private final long incarnation;
    private final Leadership leadership;
    private final Coordination coordination;
    private final CoordinationCalls calls;
    private final ClusterView view;
    private final OfficeHost host;
    private final ControllerCore core;
    private final StatePublisher publisher;
    private final TopicEntries entries;
    private final Backoff backoff;
    private final Map<UUID, TopicState> topics = new HashMap<>();
    private final OfficeRequests requests;
    private final TopicStorage storage;
    private final TopicRemoval removal;
    private final List<Retry> retries = new ArrayList<>();
    private final Executor conductor;
    private final Watch watch;
    private @Nullable DeletionInbox deletionInbox;
    private long nextExpiryNs;
    private @Nullable AdminInboxes inboxes;
    private boolean areTopicsKnown;
    private boolean isStarted;
    private boolean isClosed;
    private long nowNs;

    /** Something to do again later. */
    private record Retry(long atNs, Runnable action) {}

    /**
     * Takes office: lists the topics and follows them.
     *
     * @param self this broker in its current incarnation
     * @param leadership the won election
     * @param coordination the service
     * @param conductor runs tasks on the conductor
     * @param view the known brokers and records
     * @param seat what else a term is given
     */
    ControllerOffice(
            Replica self,
            Leadership leadership,
            Coordination coordination,
            Executor conductor,
            ClusterView view,
            Seat seat) {
        this.brokerId = self.broker();
        this.incarnation = self.incarnation();
        this.leadership = leadership;
        this.coordination = coordination;
        this.calls = new CoordinationCalls(conductor);
        this.view = view;
        this.host = seat.host();
        this.core =
                new ControllerCore(leadership.term(), seat.settings(), seat.random(), this, host.isDeletionAllowed());
        this.publisher = new StatePublisher(this, seat.random());
        this.entries = new TopicEntries(host::brokenValue);
        this.requests = new OfficeRequests(brokerId);
        this.storage = new TopicStorage(coordination, calls, leadership, this);
        this.removal = new TopicRemoval(coordination, calls, leadership, this);
        this.conductor = conductor;
        this.backoff = new Backoff(RETRY_MIN_NS, RETRY_MAX_NS, seat.random());
        this.nowNs = seat.nowNs();
        this.watch = coordination.watch(MetadataKeys.TOPICS, new WatchListener() {
            @Override
            public void onSnapshot(Listing state) {
                conductor.execute(() -> snapshot(state.entries()));
            }

            @Override
            public void onChanges(List<Change> changes, long revision) {
                conductor.execute(() -> changed(changes));
            }
        });
    }

    /**
     * What a term is given.
     *
     * @param host the conductor
     * @param settings how it decides where there is a choice
     * @param random chooses placements and ids, and spreads repetitions
     * @param nowNs now
     */
    record Seat(OfficeHost host, ControllerSettings settings, RandomGenerator random, long nowNs) {}

    /**
     * Takes the registered brokers, as the view has them now.
     *
     * @param now the time
     */
    void brokersChanged(long now) {
        nowNs = now;
        if (isClosed) {
            return;
        }
        if (isStarted) {
            core.onBrokers(view.registrations());
            requests.brokersChanged(view.registrations().keySet());
            publisher.onBrokers(view.registrations(), now);
        } else {
            startWhenKnown();
        }
    }

    /**
     * Takes evidence that a registered process is dead.
     *
     * @param process the dead process
     * @param witnesses processes that found it dead, this one among them
     * @return false if the term has not begun; the evidence is to be given again
     */
    boolean processDead(Replica process, Collection<Replica> witnesses) {
        if (isStarted && !isClosed) {
            core.onProcessDead(process, witnesses);
        }
        return isStarted;
    }

    /**
     * Makes a change of the cluster.
     *
     * @param wish the change
     * @param waitNs how long the answer may wait for the brokers of new replicas to know of them, 0 not to wait
     * @param reply is given the result, unless the term ends before
     * @return false if the term has not begun or too many are under way; the reply is not used then
     */
    boolean admin(AdminWish wish, long waitNs, Consumer<@Nullable AdminResult> reply) {
        if (!isStarted || isClosed || !requests.hasRoom()) {
            return false;
        }
        core.admin(requests.begin(reply, nowNs, waitNs), wish);
        return true;
    }

    /**
     * Moves connections and repetitions on.
     *
     * @param now the time
     * @return count of things done
     */
    int tick(long now) {
        nowNs = now;
        if (isClosed) {
            return 0;
        }
        int count = publisher.tick(now) + requests.tick(now);
        if (isStarted && nextExpiryNs - now <= 0) {
            nextExpiryNs = now + TopicRemoval.EXPIRY_INTERVAL_NS;
            removal.expireTombstones(host.nowMs());
            count++;
        }
        count += isStarted ? core.tick(now) : 0;
        if (!retries.isEmpty()) {
            List<Retry> due =
                    retries.stream().filter(retry -> retry.atNs() - now <= 0).toList();
            retries.removeAll(due);
            due.forEach(retry -> retry.action().run());
            count += due.size();
        }
        return count;
    }

    /**
     * Whether something waits for its time.
     *
     * @return true if so
     */
    boolean isBusy() {
        return !retries.isEmpty() || requests.isBusy();
    }

    /**
     * Leaves office.
     *
     * @return the requests that get no answer any more
     */
    List<Consumer<@Nullable AdminResult>> close() {
        isClosed = true;
        core.resign();
        retries.clear();
        watch.close();
        DeletionInbox inbox = deletionInbox;
        if (inbox != null) {
            inbox.close();
        }
        if (inboxes != null) {
            inboxes.close();
        }
        publisher.close();
        return requests.close();
    }

    /**
     * The won election.
     *
     * @return it
     */
    Leadership leadership() {
        return leadership;
    }

    /**
     * Whether the topics were listed and decisions are made.
     *
     * @return true from the first snapshot on
     */
    boolean isStarted() {
        return isStarted;
    }

    private void snapshot(List<Entry> found) {
        if (isClosed) {
            return;
        }
        entries.clear();
        entries.read(found, this);
        areTopicsKnown = true;
        startWhenKnown();
    }

    /** Decides nothing before the topics were listed and the brokers are seen as they were when this one registered. */
    private void startWhenKnown() {
        KnownBroker own = view.broker(brokerId);
        boolean areBrokersFresh = own != null && own.registration().incarnation() == incarnation;
        if (isStarted || !areTopicsKnown || !areBrokersFresh) {
            return;
        }
        isStarted = true;
        view.topics().forEach(topic -> topics.put(topic.topicId(), topic));
        view.publish();
        core.start(view.image());
        // Nobody refers to what a predecessor left half-made, and it can write no more.
        storage.remove(entries.withoutTopic());
        publisher.onBrokers(view.registrations(), nowNs);
        nextExpiryNs = nowNs + TopicRemoval.EXPIRY_INTERVAL_NS;
        deletionInbox = new DeletionInbox(coordination, conductor, leadership, this, host);
        inboxes = new AdminInboxes(coordination, conductor, leadership, this);
    }

    private void changed(List<Change> changes) {
        if (isClosed) {
            return;
        }
        List<Entry> put = new ArrayList<>();
        for (Change change : changes) {
            if (change instanceof Change.Put written) {
                put.add(written.entry());
            }
        }
        entries.read(put, this);
    }

    @Override
    public void topic(TopicState topic) {
        learn(topic);
        core.onTopic(topic);
    }

    private void learn(TopicState topic) {
        if (view.isDeleted(topic.topicId())) {
            return;
        }
        TopicState before = topics.get(topic.topicId());
        if (before == null || topic.isNewerThan(before)) {
            topics.put(topic.topicId(), topic);
            view.apply(topic);
        }
    }

    @Override
    public void record(VersionedRecord record) {
        host.recordSeen(record);
        if (isStarted) {
            core.onPartitionState(record.id(), record.state(), record.version());
        }
    }

    // What the core decides.

    @Override
    public void writePartition(PartitionId id, StateVersion expected, PartitionState state) {
        TopicState topic = topics.get(id.topicId());
        if (topic == null) {
            throw new IllegalStateException("a decision about an unknown partition: partition=" + id);
        }
        Txn txn = leadership
                .guard(Txn.builder()
                        .update(
                                MetadataKeys.partitionState(topic.name(), id),
                                MetadataJson.encode(state),
                                new Version(expected.createRevision(), expected.modRevision(), expected.casToken())))
                .build();
        calls.then(
                coordination.commit(txn),
                result -> {
                    if (isClosed) {
                        return;
                    }
                    if (result instanceof TxnResult.Committed committed) {
                        StateVersion version = VersionedRecord.stateVersion(
                                committed.versions().get(0));
                        core.onWriteCommitted(id, state, version);
                    } else if (((TxnResult.Conflict) result).opIndex() > 0) {
                        host.superseded("a write found a later controller epoch: partition=" + id);
                    } else {
                        core.onWriteConflict(id);
                        read(topic, id);
                    }
                },
                failure -> {
                    if (!isClosed) {
                        host.attemptFailed(failure);
                        core.onWriteUnknown(id);
                        later(() -> read(topic, id));
                    }
                });
    }

    private void read(TopicState topic, PartitionId id) {
        calls.then(
                coordination.get(MetadataKeys.partitionState(topic.name(), id), ReadMode.LINEARIZABLE),
                found -> {
                    backoff.reset();
                    if (!isClosed) {
                        found.ifPresent(entry -> entries.read(List.of(entry), this));
                    }
                },
                failure -> {
                    if (!isClosed) {
                        host.attemptFailed(failure);
                        later(() -> read(topic, id));
                    }
                });
    }

    @Override
    public void storeTopic(long requestId, TopicChange change) {
        requests.awaitReplicas(requestId, change);
        storage.store(change, new TopicStorage.Outcome() {
            @Override
            public void stored(List<VersionedState> partitions) {
                learn(change.topic());
                core.onTopicStored(requestId, partitions);
            }

            @Override
            public void notStored(Optional<String> reason) {
                core.onTopicNotStored(requestId, reason);
            }
        });
    }

    @Override
    public void publish(PartitionId id, PartitionState state, StateVersion version) {
        TopicState topic = topics.get(id.topicId());
        if (topic != null) {
            host.recordSeen(new VersionedRecord(topic, id, state, version));
        }
        publisher.publish(id);
    }

    @Override
    public void deleteTopic(long requestId, TopicState topic) {
        requests.awaitDeletion(requestId, topic, view.registrations().keySet());
        removal.delete(topic, host.nowMs(), new TopicRemoval.Outcome() {
            @Override
            public void deleted() {
                core.onTopicDeleted(requestId);
            }

            @Override
            public void notDeleted(String reason) {
                core.onTopicNotDeleted(requestId, reason);
            }
        });
    }

    @Override
    public void publishTopic(TopicState topic) {
        learn(topic);
        host.topicChanged(topic);
        // It goes along with any record of the topic.
        publisher.publish(new PartitionId(topic.topicId(), 0));
    }

    @Override
    public void publishDeletion(TopicState topic) {
        topics.remove(topic.topicId());
        entries.forget(topic.topicId());
        host.topicDeleted(topic.topicId());
        publisher.publishDeletion(topic.topicId());
    }

    @Override
    public void reply(long requestId, AdminResult result) {
        requests.reply(requestId, result);
    }

    // What the storage of topics and the inboxes need.

    @Override
    public boolean submit(AdminWish wish, Consumer<@Nullable AdminResult> reply) {
        return admin(wish, 0, reply);
    }

    @Override
    public void inboxRefused(Key key, String reason) {
        host.inboxRefused(key, reason);
    }

    @Override
    public boolean isOver() {
        return isClosed;
    }

    @Override
    public void superseded(String reason) {
        host.superseded(reason);
    }

    @Override
    public void attemptFailed(Throwable cause) {
        host.attemptFailed(cause);
    }

    @Override
    public void later(Runnable action) {
        retries.add(new Retry(nowNs + backoff.nextNs(), action));
    }

    // What the links share.

    @Override
    public Transport transport() {
        return host.transport();
    }

    @Override
    public Hellos hellos() {
        return host.hellos();
    }

    @Override
    public ClusterView view() {
        return view;
    }

    @Override
    public int brokerId() {
        return brokerId;
    }

    @Override
    public long controllerEpoch() {
        return leadership.term();
    }

    @Override
    public void superseded(long epoch) {
        host.superseded("a broker has seen a later controller: epoch=" + epoch);
    }

    @Override
    public void linkLost(int broker, long broken) {
        if (!isClosed) {
            host.linkLost(broker, broken);
        }
    }

    @Override
    public void taken(int broker, List<VersionedRecord> records, List<UUID> deleted) {
        requests.taken(broker, records, deleted);
    }
}
