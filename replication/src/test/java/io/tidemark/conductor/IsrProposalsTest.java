package io.tidemark.conductor;

import static io.tidemark.conductor.Records.P0;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.controller.BrokerRegistration;
import io.tidemark.coordination.ConnectionLostException;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.Session;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.metadata.MetadataKeys;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import io.tidemark.pipeline.IsrOutcome;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Broker 1 leads; brokers 2 and 3 follow. */
class IsrProposalsTest implements IsrProposals.Events {
    private static final Replica ONE = new Replica(1, 5);
    private static final Replica TWO = new Replica(2, 6);
    private static final Replica THREE = new Replica(3, 7);

    private final VirtualCluster cluster = new VirtualCluster();
    private final ClusterView view = new ClusterView();
    private final List<Decision> decisions = new ArrayList<>();
    private final List<String> gone = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private final Coordination client = cluster.client("broker-1");
    private final IsrProposals proposals =
            new IsrProposals(client, new CoordinationCalls(cluster.queue("conductor-1")), view, cluster.random(), this);

    private record Decision(
            PartitionId id,
            PartitionState proposed,
            IsrOutcome outcome,
            @Nullable PartitionState stored) {}

    @BeforeEach
    void registerBrokers() {
        KnownBroker self = Records.register(cluster, Records.broker(1, 5));
        Session session =
                client.openSession(VirtualCluster.TTL).toCompletableFuture().join();
        view.brokers(Records.known(
                self,
                Records.register(cluster, Records.broker(2, 6)),
                Records.register(cluster, Records.broker(3, 7))));
        proposals.registration(new Registration(
                "c1",
                self.registration(),
                self.version(),
                cluster.entry(MetadataKeys.brokerIncarnation(1)).orElseThrow().version(),
                session));
        cluster.onTick(proposals::tick);
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void shouldWriteTheProposalAndSaySo() {
        PartitionState from = given(ONE, TWO, THREE);
        PartitionState shrunk = from.withIsr(List.of(ONE, TWO), List.of());

        propose(shrunk);

        assertEquals(List.of(new Decision(P0, shrunk, IsrOutcome.COMMITTED, shrunk)), decisions);
        assertEquals(shrunk, Records.stored(cluster));
        // The next proposal is made from the record that was written.
        PartitionState grown = shrunk.withIsr(List.of(ONE, TWO, THREE), List.of());
        propose(grown);
        assertEquals(grown, Records.stored(cluster));
    }

    // The controller moved the leadership while the proposal was on its way.
    @Test
    void shouldAnswerWithTheStoredRecordWhenAnotherWroteBefore() {
        PartitionState from = given(ONE, TWO, THREE);
        PartitionState moved = from.withLeader(TWO, List.of(TWO, THREE), List.of());
        Records.overwrite(cluster, moved);
        PartitionState shrunk = from.withIsr(List.of(ONE, TWO), List.of());

        propose(shrunk);

        assertEquals(List.of(new Decision(P0, shrunk, IsrOutcome.CONFLICT, moved)), decisions);
        assertEquals(moved, Records.stored(cluster));
        assertEquals(0, proposals.openCount());
    }

    // CP-12: the write was applied, but the answer is lost; repeated, it finds itself there.
    @Test
    void shouldFindItsOwnWriteWhenTheAnswerIsLost() {
        PartitionState from = given(ONE, TWO, THREE);
        PartitionState shrunk = from.withIsr(List.of(ONE, TWO), List.of());
        cluster.faults().dropNextReply(client);

        propose(shrunk);
        assertTrue(decisions.isEmpty(), "nothing is certain yet");
        cluster.await("decided", () -> !decisions.isEmpty());

        assertEquals(List.of(new Decision(P0, shrunk, IsrOutcome.COMMITTED, shrunk)), decisions);
        assertEquals(shrunk, Records.stored(cluster));
    }

    // CP-12: the request is lost; reading back an unmoved record would settle nothing, so the write is repeated.
    @Test
    void shouldWriteAgainWhenTheRequestIsLost() {
        PartitionState from = given(ONE, TWO, THREE);
        PartitionState shrunk = from.withIsr(List.of(ONE, TWO), List.of());
        cluster.faults().dropNextRequest(client);

        propose(shrunk);
        assertTrue(decisions.isEmpty());
        cluster.await("decided", () -> !decisions.isEmpty());

        assertEquals(IsrOutcome.COMMITTED, decisions.get(0).outcome());
        assertEquals(shrunk, Records.stored(cluster));
        assertEquals(1, failures.size());
    }

    // The request is lost, and before it is repeated the controller writes.
    @Test
    void shouldAnswerConflictWhenAnotherWroteAfterALostRequest() {
        PartitionState from = given(ONE, TWO, THREE);
        PartitionState shrunk = from.withIsr(List.of(ONE, TWO), List.of());
        cluster.faults().dropNextRequest(client);
        propose(shrunk);
        PartitionState moved = from.withLeader(TWO, List.of(TWO, THREE), List.of());
        Records.overwrite(cluster, moved);

        cluster.await("decided", () -> !decisions.isEmpty());

        assertEquals(List.of(new Decision(P0, shrunk, IsrOutcome.CONFLICT, moved)), decisions);
        assertEquals(moved, Records.stored(cluster));
    }

    @Test
    void shouldGoOnTryingWhileCoordinationIsAway() {
        PartitionState from = given(ONE, TWO, THREE);
        cluster.faults().disconnect(client);
        PartitionState shrunk = from.withIsr(List.of(ONE, TWO), List.of());
        propose(shrunk);
        cluster.advance(Duration.ofSeconds(10));

        assertTrue(decisions.isEmpty());
        assertTrue(failures.size() > 3 && failures.size() < 40, "attempts=" + failures.size());
        assertTrue(failures.get(0) instanceof ConnectionLostException);
        cluster.faults().heal(client);
        cluster.await("decided", () -> !decisions.isEmpty());
        assertEquals(shrunk, Records.stored(cluster));
    }

    // I-15: a replica that joins must be registered under the incarnation that joins.
    @Test
    void shouldRefuseGrowthWhenTheJoinerIsRegisteredUnderAnotherIncarnation() {
        PartitionState from = given(ONE, TWO);
        PartitionState grown = from.withIsr(List.of(ONE, TWO, new Replica(3, 4)), List.of());

        propose(grown);

        assertEquals(List.of(new Decision(P0, grown, IsrOutcome.CONFLICT, null)), decisions);
        assertEquals(from, Records.stored(cluster));
    }

    // The joiner restarts between the leader's look at the registrations and the write.
    @Test
    void shouldRefuseGrowthWhenTheJoinerRestartedAndTheViewIsOld() {
        PartitionState from = given(ONE, TWO);
        cluster.delete(MetadataKeys.brokerId(3));
        cluster.put(MetadataKeys.brokerIncarnation(3), "8");
        PartitionState grown = from.withIsr(List.of(ONE, TWO, THREE), List.of());

        propose(grown);

        assertEquals(List.of(new Decision(P0, grown, IsrOutcome.CONFLICT, null)), decisions);
        assertEquals(from, Records.stored(cluster));
    }

    // The joiner's registration ends between the reading of its counter and the write.
    @Test
    void shouldRefuseGrowthWhenTheJoinersRegistrationVanished() {
        PartitionState from = given(ONE, TWO);
        cluster.delete(MetadataKeys.brokerId(3));
        PartitionState grown = from.withIsr(List.of(ONE, TWO, THREE), List.of());

        propose(grown);

        assertEquals(IsrOutcome.CONFLICT, decisions.get(0).outcome());
        assertNull(decisions.get(0).stored());
        assertEquals(from, Records.stored(cluster));
    }

    @Test
    void shouldRefuseGrowthWhenTheJoinerIsLeaving() {
        PartitionState from = given(ONE, TWO);
        BrokerRegistration leaving =
                new BrokerRegistration(3, 7, 7, "10.0.0.3", 7003, "", "folder-3", BrokerRegistration.Status.LEAVING);
        cluster.put(MetadataKeys.brokerId(3), new String(MetadataJson.encode(leaving), StandardCharsets.UTF_8));
        view.brokers(Records.known(new KnownBroker(
                leaving, cluster.entry(MetadataKeys.brokerId(3)).orElseThrow().version())));

        propose(from.withIsr(List.of(ONE, TWO, THREE), List.of()));

        assertEquals(IsrOutcome.CONFLICT, decisions.get(0).outcome());
        assertEquals(from, Records.stored(cluster));
    }

    // A growth is in doubt, and its joiner goes away: the doubt is settled by moving the record, not by looking at it.
    @Test
    void shouldMoveTheRecordWhenADoubtfulGrowthCannotBeRepeated() {
        PartitionState from = given(ONE, TWO);
        PartitionState grown = from.withIsr(List.of(ONE, TWO, THREE), List.of());
        cluster.faults().dropNextRequest(client);
        propose(grown);
        cluster.delete(MetadataKeys.brokerId(3));

        cluster.await("decided", () -> !decisions.isEmpty());

        PartitionState settled = from.withIsr(from.isr(), from.elr());
        assertEquals(List.of(new Decision(P0, grown, IsrOutcome.CONFLICT, settled)), decisions);
        assertEquals(settled, Records.stored(cluster));
    }

    // A zombie: its registration is gone, and somebody registered again under its id.
    @Test
    void shouldWriteNothingWhenTheOwnRegistrationIsOfALaterLife() {
        PartitionState from = given(ONE, TWO, THREE);
        cluster.put(MetadataKeys.brokerIncarnation(1), "9");

        propose(from.withIsr(List.of(ONE, TWO), List.of()));

        assertEquals(1, gone.size());
        assertTrue(decisions.isEmpty());
        assertEquals(from, Records.stored(cluster));
    }

    @Test
    void shouldForgetProposalsWhenTheRegistrationIsLost() {
        PartitionState from = given(ONE, TWO, THREE);
        cluster.faults().dropNextRequest(client);
        propose(from.withIsr(List.of(ONE, TWO), List.of()));

        proposals.registration(null);
        cluster.advance(Duration.ofSeconds(10));

        assertTrue(decisions.isEmpty());
        assertEquals(from, Records.stored(cluster));
        propose(from.withIsr(List.of(ONE, THREE), List.of()));
        assertEquals(from, Records.stored(cluster));
    }

    // The record is ahead of the proposal: the lane had not heard yet.
    @Test
    void shouldAnswerAtOnceWhenTheProposalIsMadeFromAnOldRecord() {
        PartitionState from = given(ONE, TWO, THREE);
        PartitionState first = from.withIsr(List.of(ONE, TWO), List.of());
        propose(first);
        decisions.clear();

        PartitionState old = from.withIsr(List.of(ONE, THREE), List.of());
        propose(old);

        assertEquals(List.of(new Decision(P0, old, IsrOutcome.CONFLICT, first)), decisions);
        assertEquals(first, Records.stored(cluster));
        assertFalse(proposals.openCount() > 0);
    }

    private PartitionState given(Replica... isr) {
        PartitionState state = Records.state(isr);
        view.apply(Records.store(cluster, state));
        return state;
    }

    private void propose(PartitionState proposed) {
        proposals.propose(P0, proposed, cluster.nowNs());
        cluster.settle();
    }

    @Override
    public void decided(PartitionId id, PartitionState proposed, IsrOutcome outcome, @Nullable PartitionState stored) {
        decisions.add(new Decision(id, proposed, outcome, stored));
    }

    @Override
    public void recordSeen(VersionedRecord record) {
        view.apply(record);
    }

    @Override
    public void registrationGone(String reason) {
        gone.add(reason);
    }

    @Override
    public void attemptFailed(Throwable cause) {
        failures.add(cause);
    }
}
