package io.tidemark.conductor;

import io.tidemark.controller.BrokerRegistration;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.OutcomeUnknownException;
import io.tidemark.coordination.ReadMode;
import io.tidemark.coordination.Session;
import io.tidemark.coordination.SessionExpiredException;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnResult;
import io.tidemark.log.StorageException;
import io.tidemark.metadata.MetadataFormatException;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.metadata.MetadataKeys;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Keeps this broker registered: opens a session, registers under a new incarnation, and begins anew when either is
 * lost.
 *
 * <table>
 * <caption>Transitions</caption>
 * <tr><th>from</th><th>to</th><th>when</th></tr>
 * <tr><td>WAITING</td><td>OPENING</td><td>the time of the next attempt has come</td></tr>
 * <tr><td>OPENING</td><td>REGISTERING</td><td>a session is open</td></tr>
 * <tr><td>OPENING</td><td>WAITING</td><td>coordination cannot be reached</td></tr>
 * <tr><td>REGISTERING</td><td>REGISTERED</td><td>the registration was written, or found written by this
 * session</td></tr>
 * <tr><td>REGISTERING, REGISTERED</td><td>WAITING</td><td>the session ended, or the registration vanished</td></tr>
 * <tr><td>any</td><td>CLOSED</td><td>the broker closes, or is refused for good</td></tr>
 * </table>
 *
 * <p>A registration that is found is judged by its owner: this very session's is ours (an outcome was unknown); one of
 * another session but of our folder is our own stale one, since we hold the folder's lock, and is deleted
 * conditionally; anything else is another broker with our id, and this one refuses to start. Owned by the conductor.
 */
final class BrokerSession {
    /** Where the registration stands. */
    enum State {
        /** Until the next attempt. */
        WAITING,
        /** A session is being opened. */
        OPENING,
        /** The session is open. */
        REGISTERING,
        /** The cluster knows this broker. */
        REGISTERED,
        /** For good. */
        CLOSED
    }

    /** What others do about it. Called on the conductor. */
    interface Events {
        /**
         * The cluster knows this broker, under an incarnation that it never had before.
         *
         * @param registration what was written
         */
        void registered(Registration registration);

        /**
         * The registration is over; whatever rests on it must be too.
         *
         * @param reason for the log
         */
        void lost(String reason);

        /**
         * This broker may not take part in the cluster, now or later.
         *
         * @param reason one line: what, where and what to do
         */
        void refused(String reason);

        /**
         * An attempt failed; another will follow.
         *
         * @param cause why
         */
        void attemptFailed(Throwable cause);
    }

    private static final long RETRY_MIN_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long RETRY_MAX_NS = TimeUnit.SECONDS.toNanos(5);

    private final Coordination coordination;
    private final CoordinationCalls calls;
    private final BrokerFolder folder;
    private final BrokerProfile profile;
    private final RandomGenerator random;
    private final Events events;
    private final Backoff backoff;
    private State state = State.WAITING;
    private long nextAttemptNs;
    private long nowNs;
    private @Nullable Session session;
    private @Nullable Registration registration;
    /** Tells answers to this attempt from answers to attempts that were given up. */
    private int attempt;

    /**
     * Prepares the first attempt, which begins with the first {@link #tick}.
     *
     * @param coordination the service
     * @param calls continues its calls on the conductor
     * @param folder the broker's data folder
     * @param profile what is registered
     * @param random spreads attempts, and names a new cluster
     * @param events who is told
     */
    BrokerSession(
            Coordination coordination,
            CoordinationCalls calls,
            BrokerFolder folder,
            BrokerProfile profile,
            RandomGenerator random,
            Events events) {
        this.coordination = coordination;
        this.calls = calls;
        this.folder = folder;
        this.profile = profile;
        this.random = random;
        this.events = events;
        this.backoff = new Backoff(RETRY_MIN_NS, RETRY_MAX_NS, random);
        this.nextAttemptNs = Long.MIN_VALUE;
    }

    /**
     * Begins an attempt when it is time, and notices a session that ran out.
     *
     * @param now the time
     * @return count of things done
     */
    int tick(long now) {
        nowNs = now;
        if (state == State.WAITING && (nextAttemptNs == Long.MIN_VALUE || nextAttemptNs - now <= 0)) {
            open();
            return 1;
        }
        if (state == State.REGISTERED && session != null && !session.isValid(Duration.ZERO)) {
            lose("the session ran out: sessionId=" + session.id() + ", ttl=" + session.ttl());
            return 1;
        }
        return 0;
    }

    /**
     * Where the registration stands.
     *
     * @return the state
     */
    State state() {
        return state;
    }

    /**
     * The current registration.
     *
     * @return it, or null unless {@link State#REGISTERED}
     */
    @Nullable
    Registration registration() {
        return registration;
    }

    /**
     * What a watch saw of this broker's key. Anything but our own registration means that it was taken away.
     *
     * @param entry the entry, empty if the key is gone
     * @param revision of the store when it was seen; older ones than our registration prove nothing
     */
    void ownKeySeen(Optional<Entry> entry, long revision) {
        Registration current = registration;
        if (current == null || revision < current.version().createRevision()) {
            return;
        }
        if (entry.isEmpty()
                || entry.get().version().createRevision() != current.version().createRevision()) {
            lose("the registration was taken away: key=" + MetadataKeys.brokerId(profile.brokerId()));
        }
    }

    /**
     * Gives the registration up because this broker cannot go on in this life.
     *
     * @param reason for the log
     */
    void lose(String reason) {
        if (state == State.CLOSED) {
            return;
        }
        boolean wasRegistered = state == State.REGISTERED;
        endAttempt();
        if (wasRegistered) {
            events.lost(reason);
        }
        retryLater();
    }

    /**
     * Changes the registration to one that is about to end, so that others take over. It may be repeated: once it is
     * LEAVING, another write of it conflicts and changes nothing.
     *
     * @return completes when it was tried; fails if that could not be done, or nobody knows whether it was
     */
    CompletionStage<Void> announceLeaving() {
        Registration current = registration;
        if (current == null) {
            return CompletableFuture.completedStage(null);
        }
        Txn txn = Txn.builder()
                .update(
                        MetadataKeys.brokerId(profile.brokerId()),
                        MetadataJson.encode(current.broker().leaving()),
                        current.version())
                .build();
        return coordination.commit(txn).thenAccept(done -> {});
    }

    /**
     * Ends the registration for good.
     *
     * @return completes when the service has removed it, or fails if that was not confirmed; it then ends with its time
     *     to live
     */
    CompletionStage<Void> close() {
        state = State.CLOSED;
        attempt++;
        registration = null;
        Session current = session;
        session = null;
        return current == null ? CompletableFuture.completedStage(null) : current.closeAsync();
    }

    private void endAttempt() {
        attempt++;
        registration = null;
        Session old = session;
        session = null;
        if (old != null) {
            // Its end frees our key; if that cannot be confirmed, the next attempt finds and deletes the key itself.
            calls.then(old.closeAsync(), done -> {}, events::attemptFailed);
        }
    }

    private void retryLater() {
        state = State.WAITING;
        nextAttemptNs = nowNs + backoff.nextNs();
    }

    private void open() {
        state = State.OPENING;
        int current = ++attempt;
        calls.then(
                coordination.openSession(profile.sessionTtl()),
                opened -> {
                    if (current != attempt) {
                        calls.then(opened.closeAsync(), done -> {}, events::attemptFailed);
                        return;
                    }
                    session = opened;
                    state = State.REGISTERING;
                    calls.then(
                            opened.terminated(),
                            end -> {
                                if (session == opened) {
                                    lose("the session ended: sessionId=" + opened.id() + ", state=" + end);
                                }
                            },
                            failure -> failed(current, failure));
                    read(current, opened);
                },
                failure -> failed(current, failure));
    }

    /** What an attempt reads before it decides. */
    private record Found(
            Optional<Entry> clusterId,
            Optional<Entry> broker,
            Optional<Entry> incarnation,
            Optional<Entry> controllerEpoch) {}

    private void read(int current, Session with) {
        List<CompletableFuture<Optional<Entry>>> reads = new ArrayList<>();
        for (Key key : List.of(
                MetadataKeys.CLUSTER_ID,
                MetadataKeys.brokerId(profile.brokerId()),
                MetadataKeys.brokerIncarnation(profile.brokerId()),
                MetadataKeys.CONTROLLER_EPOCH)) {
            reads.add(coordination.get(key, ReadMode.LINEARIZABLE).toCompletableFuture());
        }
        CompletionStage<Found> all = CompletableFuture.allOf(reads.toArray(CompletableFuture[]::new))
                .thenApply(done -> new Found(
                        reads.get(0).join(),
                        reads.get(1).join(),
                        reads.get(2).join(),
                        reads.get(3).join()));
        calls.then(
                all,
                found -> {
                    if (current == attempt) {
                        decide(current, with, found);
                    }
                },
                failure -> failed(current, failure));
    }

    private void decide(int current, Session with, Found found) {
        if (found.clusterId().isEmpty()) {
            createCluster(current, with);
            return;
        }
        String clusterId = found.clusterId().get().valueText();
        try {
            String problem = storeProblem(clusterId, found);
            if (problem != null) {
                refuse(problem);
                return;
            }
            if (found.broker().isPresent()) {
                decideAbout(current, with, clusterId, found);
                return;
            }
            long counted = found.incarnation()
                    .map(entry -> MetadataJson.decodeNumber(entry.key().path(), entry.value()))
                    .orElse(0L);
            // A registration that was lost on its way left its number in the folder, where numbers only grow.
            long incarnation = Math.max(counted, folder.incarnation()) + 1;
            begin(current, with, clusterId, incarnation, found.incarnation());
        } catch (MetadataFormatException broken) {
            refuse("the coordination service holds a value that cannot be read: " + broken.getMessage());
        }
    }

    private @Nullable String storeProblem(String clusterId, Found found) {
        Optional<String> known = folder.clusterId();
        if (known.isPresent() && !known.get().equals(clusterId)) {
            return "data folder belongs to another cluster: dataDirectory=" + profile.dataDirectory()
                    + ", folderClusterId=" + known.get() + ", storeClusterId=" + clusterId
                    + "; check the coordination URI and its path, or use another data folder";
        }
        long epoch = found.controllerEpoch()
                .map(entry -> MetadataJson.decodeNumber(entry.key().path(), entry.value()))
                .orElse(0L);
        if (epoch < folder.controllerEpoch()) {
            return "the coordination service has gone back in time: key=" + MetadataKeys.CONTROLLER_EPOCH
                    + ", storeEpoch=" + epoch + ", folderEpoch=" + folder.controllerEpoch() + ", dataDirectory="
                    + profile.dataDirectory() + "; it was restored from an old backup or is another store; bring the"
                    + " right one back";
        }
        return null;
    }

    private void createCluster(int current, Session with) {
        UUID id = new UUID(random.nextLong(), random.nextLong());
        byte[] value = id.toString().getBytes(StandardCharsets.UTF_8);
        commit(current, Txn.builder().create(MetadataKeys.CLUSTER_ID, value).build(), result -> read(current, with));
    }

    private void decideAbout(int current, Session with, String clusterId, Found found) {
        Entry entry = found.broker().orElseThrow();
        BrokerRegistration other = MetadataJson.decodeBroker(entry.key().path(), entry.value());
        if (entry.isOwnedBy(with) && found.incarnation().isPresent()) {
            registeredAs(new Registration(
                    clusterId, other, entry.version(), found.incarnation().get().version(), with));
        } else if (other.storageId().equals(profile.storageId())) {
            // Deleted by its version: if it changed meanwhile, the next look decides anew.
            commit(current, Txn.builder().delete(entry.key(), entry.version()).build(), result -> read(current, with));
        } else {
            refuse("broker id is in use by another data folder: brokerId=" + profile.brokerId() + ", host="
                    + other.host() + ", port=" + other.port() + ", storageId=" + other.storageId()
                    + ", ownStorageId=" + profile.storageId() + "; give each broker its own id, or wait until the"
                    + " session of a broker that is gone has run out");
        }
    }

    private void begin(int current, Session with, String clusterId, long incarnation, Optional<Entry> counter) {
        calls.then(
                folder.beginIncarnation(clusterId, incarnation),
                intactSince -> {
                    if (current == attempt) {
                        register(current, with, clusterId, profile.at(incarnation, intactSince), counter);
                    }
                },
                failure -> {
                    if (failure instanceof StorageException) {
                        refuse("data folder cannot begin a new life: " + failure.getMessage());
                    } else {
                        failed(current, failure);
                    }
                });
    }

    private void register(
            int current, Session with, String clusterId, BrokerRegistration broker, Optional<Entry> counter) {
        Key counterKey = MetadataKeys.brokerIncarnation(profile.brokerId());
        byte[] count = MetadataJson.encodeNumber(broker.incarnation());
        Txn.Builder txn = Txn.builder();
        if (counter.isPresent()) {
            txn.update(counterKey, count, counter.get().version());
        } else {
            txn.create(counterKey, count);
        }
        txn.createEphemeral(MetadataKeys.brokerId(profile.brokerId()), MetadataJson.encode(broker), with);
        commit(current, txn.build(), result -> {
            if (result instanceof TxnResult.Committed committed) {
                registeredAs(new Registration(
                        clusterId,
                        broker,
                        committed.versions().get(1),
                        committed.versions().get(0),
                        with));
            } else {
                read(current, with);
            }
        });
    }

    private void registeredAs(Registration now) {
        state = State.REGISTERED;
        backoff.reset();
        registration = now;
        events.registered(now);
    }

    private void commit(int current, Txn txn, Consumer<TxnResult> then) {
        calls.then(
                coordination.commit(txn),
                result -> {
                    if (current == attempt) {
                        then.accept(result);
                    }
                },
                failure -> {
                    if (current != attempt) {
                        return;
                    }
                    if (failure instanceof OutcomeUnknownException) {
                        // The session is kept: if the write went through, the next look finds it owned by this session.
                        events.attemptFailed(failure);
                        Session with = session;
                        if (with != null) {
                            read(current, with);
                        }
                    } else {
                        failed(current, failure);
                    }
                });
    }

    private void refuse(String reason) {
        endAttempt();
        state = State.CLOSED;
        events.refused(reason);
    }

    private void failed(int current, Throwable failure) {
        if (current != attempt || state == State.CLOSED) {
            return;
        }
        if (!(failure instanceof SessionExpiredException)) {
            events.attemptFailed(failure);
        }
        lose("registration failed: " + failure.getMessage());
    }
}
