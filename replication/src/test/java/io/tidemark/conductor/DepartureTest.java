package io.tidemark.conductor;

import static io.tidemark.conductor.Records.P0;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.controller.BrokerRegistration;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.Entry;
import io.tidemark.metadata.MetadataFormatException;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.metadata.MetadataKeys;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import io.tidemark.partition.StateVersion;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Broker 1 leaves; brokers 2 and 3 stay. */
class DepartureTest {
    private static final Replica ONE = new Replica(1, 1);
    private static final Replica TWO = new Replica(2, 2);
    private static final Replica THREE = new Replica(3, 3);
    private static final Duration LIMIT = Duration.ofSeconds(2);

    private final VirtualCluster cluster = new VirtualCluster();
    private @Nullable Subject made;

    @BeforeEach
    void register() {
        cluster.put(MetadataKeys.CLUSTER_ID, "c1");
        Records.register(cluster, Records.broker(2, 2));
        Records.register(cluster, Records.broker(3, 3));
        Subject subject = new Subject();
        made = subject;
        cluster.await("registered", () -> subject.registered.size() == 1);
        cluster.advance(Duration.ofMillis(100));
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private Subject subject() {
        Subject subject = made;
        if (subject == null) {
            throw new AssertionError("not registered");
        }
        return subject;
    }

    // C-06: it says that it leaves, and goes on serving until the record shows another leader and an ISR without it.
    @Test
    void shouldStayUntilOthersHaveTakenOver() {
        Subject subject = subject();
        subject.see(Records.state(ONE, TWO, THREE));
        CompletableFuture<Void> left = subject.leave();
        cluster.advance(Duration.ofMillis(500));

        assertEquals(BrokerRegistration.Status.LEAVING, registration().status());
        assertEquals(List.of("leaving"), subject.events);
        assertFalse(left.isDone());

        subject.see(Records.state(ONE, TWO, THREE).withLeader(TWO, List.of(TWO, THREE), List.of()));
        cluster.await("left", left::isDone);

        assertEquals(List.of("leaving", "end"), subject.events);
        assertTrue(cluster.entry(MetadataKeys.brokerId(1)).isEmpty(), "it is registered");
    }

    // C-06: a follower leaves when its leader has dropped it.
    @Test
    void shouldStayInTheIsrUntilTheLeaderDropsIt() {
        Subject subject = subject();
        PartitionState state = Records.state(TWO, ONE, THREE);
        subject.see(state);
        CompletableFuture<Void> left = subject.leave();
        cluster.advance(Duration.ofMillis(500));
        assertFalse(left.isDone());

        subject.see(state.withIsr(List.of(TWO, THREE), List.of()));
        cluster.await("left", left::isDone);

        assertEquals(List.of("leaving", "end"), subject.events);
    }

    // Nobody else in the ISR runs, or the leader it follows is gone or leaves too: waiting would change nothing.
    @Test
    void shouldNotWaitForWhatNobodyCanTake() {
        Subject subject = subject();
        subject.see(Records.state(ONE, new Replica(2, 1)));
        long beganNs = cluster.nowNs();
        CompletableFuture<Void> left = subject.leave();
        cluster.await("left", left::isDone);

        assertTrue(cluster.nowNs() - beganNs < LIMIT.toNanos() / 4, "it waited");
        assertEquals(List.of("leaving", "end"), subject.events);
    }

    // CO-12: coordination is away; the limit ends the waiting.
    @Test
    void shouldEndInTimeWhenCoordinationIsAway() {
        Subject subject = subject();
        subject.see(Records.state(ONE, TWO, THREE));
        cluster.faults().partition(subject.client);
        long beganNs = cluster.nowNs();
        var unused = subject.leave();
        cluster.await("ended", () -> subject.events.contains("end"));

        assertEquals(LIMIT, Duration.ofNanos(cluster.nowNs() - beganNs));
        assertFalse(subject.departure.isUnderWay());
    }

    // CO-12: coordination goes away after the announcement, half-way through.
    @Test
    void shouldEndInTimeWhenCoordinationGoesAwayMeanwhile() {
        Subject subject = subject();
        subject.see(Records.state(ONE, TWO, THREE));
        long beganNs = cluster.nowNs();
        var unused = subject.leave();
        cluster.await("announced", () -> registration().status() == BrokerRegistration.Status.LEAVING);
        cluster.faults().partition(subject.client);
        cluster.await("ended", () -> subject.events.contains("end"));

        assertEquals(LIMIT, Duration.ofNanos(cluster.nowNs() - beganNs));
    }

    // The answer to the announcement is lost: it is repeated under the same condition, and lands once.
    @Test
    void shouldAnnounceOnceWhenTheAnswerIsLost() {
        Subject subject = subject();
        subject.see(Records.state(ONE, TWO, THREE).withLeader(TWO, List.of(TWO, THREE), List.of()));
        cluster.faults().dropNextReply(subject.client);
        CompletableFuture<Void> left = subject.leave();
        cluster.await("left", left::isDone);

        assertEquals(List.of("leaving", "end"), subject.events);
    }

    // The request is lost: the announcement is made again.
    @Test
    void shouldAnnounceAgainWhenTheRequestIsLost() {
        Subject subject = subject();
        subject.see(Records.state(ONE, TWO, THREE));
        cluster.faults().dropNextRequest(subject.client);
        var unused = subject.leave();

        cluster.await("announced", () -> registration().status() == BrokerRegistration.Status.LEAVING);
        assertEquals(1, subject.failures.size());
    }

    // The session ends while others take over: there is nothing left to hand over.
    @Test
    void shouldEndAtOnceWhenTheRegistrationIsLost() {
        Subject subject = subject();
        subject.see(Records.state(ONE, TWO, THREE));
        CompletableFuture<Void> left = subject.leave();
        subject.session.lose("a test");
        cluster.await("left", left::isDone);

        assertEquals(List.of("leaving", "lost a test", "end"), subject.events);
    }

    private BrokerRegistration registration() {
        Entry entry = cluster.entry(MetadataKeys.brokerId(1)).orElseThrow();
        return MetadataJson.decodeBroker(entry.key().path(), entry.value());
    }

    /** Broker 1, without anything that it would lead. */
    private final class Subject implements BrokerSession.Events, BrokersWatch.Events, Departure.Host {
        private final List<String> events = new ArrayList<>();
        private final List<Registration> registered = new ArrayList<>();
        private final List<Throwable> failures = new ArrayList<>();
        private final ClusterView view = new ClusterView();
        private final Coordination client = cluster.client("broker-1");
        private final BrokerSession session;
        private final Departure departure;

        private Subject() {
            ConductorQueue queue = cluster.queue("conductor");
            CoordinationCalls calls = new CoordinationCalls(queue);
            session = new BrokerSession(
                    client,
                    calls,
                    new FakeFolder(),
                    new BrokerProfile(1, "10.0.0.1", 7001, "", "folder-1", Path.of("data"), VirtualCluster.TTL),
                    cluster.random(),
                    this);
            departure = new Departure(1, LIMIT.toNanos(), view, session, calls, this);
            BrokersWatch.open(client, 1, queue, this);
            cluster.onTick(now -> {
                departure.tick(now);
                if (session.state() != BrokerSession.State.CLOSED) {
                    session.tick(now);
                }
            });
        }

        private void see(PartitionState state) {
            view.apply(new VersionedRecord(Records.TOPIC, P0, state, new StateVersion(1, state.partitionEpoch(), 1)));
        }

        private CompletableFuture<Void> leave() {
            CompletableFuture<Void> left = new CompletableFuture<>();
            departure.begin(cluster.nowNs(), left);
            return left;
        }

        @Override
        public void leaving() {
            events.add("leaving");
        }

        @Override
        public CompletionStage<Void> end() {
            events.add("end");
            return session.close();
        }

        @Override
        public void registered(Registration registration) {
            registered.add(registration);
        }

        @Override
        public void lost(String reason) {
            events.add("lost " + reason);
        }

        @Override
        public void refused(String reason) {
            throw new AssertionError(reason);
        }

        @Override
        public void brokers(Map<Integer, KnownBroker> brokers) {
            view.brokers(brokers);
        }

        @Override
        public void ownKey(Optional<Entry> entry, long revision) {
            session.ownKeySeen(entry, revision);
        }

        @Override
        public void brokenValue(MetadataFormatException broken) {
            throw broken;
        }

        @Override
        public void attemptFailed(Throwable cause) {
            failures.add(cause);
        }
    }
}
