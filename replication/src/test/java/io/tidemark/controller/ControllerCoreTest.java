package io.tidemark.controller;

import static io.tidemark.controller.Fixtures.broker;
import static io.tidemark.controller.Fixtures.brokers;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.partition.Durability;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import io.tidemark.partition.StateVersion;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** One controller term, message by message. */
class ControllerCoreTest {
    private static final Replica A = new Replica(1, 10);
    private static final Replica B = new Replica(2, 20);
    private static final Replica C = new Replica(3, 30);
    private static final UUID TOPIC = new UUID(5, 6);
    private static final PartitionId P0 = new PartitionId(TOPIC, 0);
    private static final PartitionId P1 = new PartitionId(TOPIC, 1);
    private static final StateVersion V1 = new StateVersion(1, 1, 1);
    private static final StateVersion V2 = new StateVersion(1, 2, 2);
    private static final StateVersion V3 = new StateVersion(1, 3, 3);
    private static final PartitionState LED_BY_A = Fixtures.state(A, List.of(A, B, C), List.of());
    private static final PartitionState LED_BY_B = Fixtures.state(B, List.of(A, B, C), List.of());

    private final RecordedControl out = new RecordedControl();
    private final ControllerCore core = new ControllerCore(7, ControllerSettings.DEFAULT, new Random(1), out, true);

    private static Map<Integer, BrokerRegistration> all() {
        return brokers(broker(1, 10, 10), broker(2, 20, 20), broker(3, 30, 30));
    }

    private static Map<Integer, BrokerRegistration> without(int broker) {
        Map<Integer, BrokerRegistration> some = all();
        some.remove(broker);
        return some;
    }

    private void start(Map<Integer, BrokerRegistration> brokers) {
        core.start(ClusterImage.empty("c").toBuilder()
                .brokers(brokers)
                .topic(new TopicState("t", TOPIC, 2, 3, 2, Durability.REPLICATED))
                .partition(P0, new VersionedState(LED_BY_A, V1))
                .partition(P1, new VersionedState(LED_BY_B, V1))
                .build());
    }

    // Brokers get every record from a new controller; nothing is written while all leaders live.
    @Test
    void shouldPublishEverythingWhenTakingOffice() {
        start(all());

        assertEquals(List.of(P0, P1), out.publishedIds());
        assertTrue(out.writes.isEmpty());
        assertEquals(0, core.offlinePartitions());
    }

    // CP-13: a leader that died with the last controller is replaced at take-over.
    @Test
    void shouldMoveLeadershipOfLeaderThatWasDeadBefore() {
        start(without(1));

        assertEquals(1, out.writes.size());
        RecordedControl.Write write = out.writes.get(0);
        assertEquals(P0, write.id());
        assertEquals(V1, write.expected());
        assertEquals(B, write.state().leader());
        assertEquals(7, write.state().controllerEpoch());
        assertEquals(1, core.offlinePartitions());
    }

    // C-08: only partitions whose leader is gone are written; dead followers are left to their leaders.
    @Test
    void shouldWriteOnlyPartitionsWhoseLeaderIsGone() {
        start(all());

        core.onBrokers(without(3));
        assertTrue(out.writes.isEmpty());

        core.onBrokers(brokers(broker(1, 11, 11), broker(2, 20, 20), broker(3, 30, 30)));
        assertEquals(1, out.writes.size());
        assertEquals(P0, out.writes.get(0).id());
    }

    @Test
    void shouldPublishWhatWasCommitted() {
        start(without(1));
        out.published.clear();

        core.onWriteCommitted(P0, out.lastState(), V2);

        assertEquals(List.of(P0), out.publishedIds());
        assertEquals(V2, core.partition(P0).orElseThrow().version());
        assertEquals(0, core.offlinePartitions());
        core.onPartitionState(P0, out.lastState(), V2);
        assertEquals(1, out.published.size());
    }

    // CP-14: while a write is under way any number of changes cost nothing; then one decision on the present.
    @Test
    void shouldCoalesceChangesWhileAWriteIsUnderWay() {
        start(without(1));
        for (int i = 0; i < 20; i++) {
            core.onBrokers(i % 2 == 0 ? brokers(broker(3, 30, 30)) : without(1));
        }
        assertEquals(1, writesTo(P0));

        core.onBrokers(brokers(broker(3, 30, 30)));
        core.onWriteCommitted(P0, out.writes.get(0).state(), V2);

        assertEquals(2, writesTo(P0));
        assertEquals(C, out.lastState().leader());
        assertEquals(V2, out.writes.get(out.writes.size() - 1).expected());
    }

    // A conflict on one partition holds up no other, and is decided again on the record as it is now.
    @Test
    void shouldDecideAgainOnTheRecordAfterAConflict() {
        start(without(1));
        core.onWriteConflict(P0);
        core.onBrokers(brokers(broker(3, 30, 30)));
        assertEquals(1, writesTo(P0));
        assertEquals(1, writesTo(P1));

        PartitionState shrunk = LED_BY_A.withIsr(List.of(A, C), List.of());
        core.onPartitionState(P0, shrunk, V2);

        assertEquals(2, writesTo(P0));
        assertEquals(V2, out.writes.get(2).expected());
        assertEquals(C, out.lastState().leader());
        assertEquals(shrunk.partitionEpoch() + 1, out.lastState().partitionEpoch());
    }

    // The record that beat us was told by the watch before the conflict was: the read after it still ends the wait.
    @Test
    void shouldGoOnWhenRecordWasKnownBeforeTheConflict() {
        start(without(1));
        PartitionState shrunk = LED_BY_A.withIsr(List.of(A, C), List.of());
        core.onPartitionState(P0, shrunk, V2);
        assertEquals(1, writesTo(P0));
        core.onWriteConflict(P0);

        core.onPartitionState(P0, shrunk, V2);

        assertEquals(2, writesTo(P0));
        assertEquals(C, out.lastState().leader());
    }

    // K-04: the record did not move: the same condition again, so that at most one of both writes applies.
    @Test
    void shouldRepeatWriteWhenOutcomeIsUnknownAndRecordDidNotMove() {
        start(without(1));
        core.onWriteUnknown(P0);
        // Nothing is decided on a record that may be stale.
        core.onBrokers(brokers(broker(2, 20, 20)));
        assertEquals(1, writesTo(P0));

        core.onPartitionState(P0, LED_BY_A, V1);

        assertEquals(2, writesTo(P0));
        assertEquals(V1, out.writes.get(1).expected());
        // The first one landed after all: ours conflicts, and its record is as good.
        core.onWriteConflict(P0);
        core.onPartitionState(P0, out.writes.get(0).state(), V2);
        assertEquals(2, writesTo(P0));
        assertEquals(0, core.offlinePartitions());
    }

    // K-04: the record moved: the write is settled, whoever moved it.
    @Test
    void shouldTakeRecordThatMovedAfterUnknownOutcome() {
        start(without(1));
        core.onWriteUnknown(P0);

        core.onPartitionState(P0, out.writes.get(0).state(), V2);

        assertEquals(1, writesTo(P0));
        assertEquals(V2, core.partition(P0).orElseThrow().version());
    }

    // The leader's own write arrives by the watch: it is published, and the next election starts from it.
    @Test
    void shouldTakeWritesOfLeaders() {
        start(all());
        out.published.clear();
        PartitionState shrunk = LED_BY_A.withIsr(List.of(A, C), List.of());

        core.onPartitionState(P0, shrunk, V2);
        core.onPartitionState(P0, LED_BY_A, V1);

        assertEquals(1, out.published.size());
        core.onBrokers(without(1));
        assertEquals(C, out.lastState().leader());
        assertEquals(V2, out.writes.get(0).expected());
    }

    // No electable member: offline until one registers.
    @Test
    void shouldWaitForAnElectableMember() {
        start(brokers());
        assertTrue(out.writes.isEmpty());
        assertEquals(2, core.offlinePartitions());

        core.onBrokers(brokers(broker(3, 31, 31)));
        assertTrue(out.writes.isEmpty());

        core.onBrokers(brokers(broker(3, 31, 31), broker(1, 11, 10)));
        assertEquals(2, out.writes.size());
        assertEquals(new Replica(1, 11), out.lastState().leader());
    }

    @Test
    void shouldCreateTopicOnRunningBrokers() {
        Map<Integer, BrokerRegistration> some = all();
        some.put(4, Fixtures.leaving(broker(4, 1, 1)));
        start(some);
        out.published.clear();

        core.admin(99, new CreateTopic("new", 6, 3, 2, Durability.REPLICATED));

        assertEquals(1, out.creations.size());
        RecordedControl.Creation creation = out.creations.get(0);
        assertEquals(4, creation.topic().topicId().version());
        assertEquals(6, creation.states().size());
        for (PartitionState state : creation.states()) {
            assertEquals(new HashSet<>(List.of(A, B, C)), new HashSet<>(state.isr()));
            assertEquals(state.assignment().get(0), state.leader().broker());
            assertEquals(7, state.controllerEpoch());
            assertEquals(0, state.leaderEpoch());
        }
        assertTrue(out.replies.isEmpty());

        core.onTopicStored(99, creation.stored(V1));

        assertEquals(List.of(new AdminResult.Done(creation.topic())), new ArrayList<>(out.replies.values()));
        assertEquals(6, out.published.size());
    }

    // CP-16: a broker that dies while the topic is being stored loses its leaderships as soon as it is.
    @Test
    void shouldElectForNewTopicWhoseLeaderDiedMeanwhile() {
        start(all());
        core.admin(99, new CreateTopic("new", 3, 3, 2, Durability.REPLICATED));
        core.onBrokers(without(2));
        int before = out.writes.size();

        core.onTopicStored(99, out.creations.get(0).stored(V1));

        assertEquals(before + 1, out.writes.size());
        assertTrue(out.lastState().leader().broker() != 2);
    }

    // CP-16: two requests for one name: one winner; the other one waits and is then told.
    @Test
    void shouldTellLoserThatTopicExists() {
        start(all());
        core.admin(1, new CreateTopic("new", 1, 1, 1, Durability.REPLICATED));
        core.admin(2, new CreateTopic("new", 1, 1, 1, Durability.REPLICATED));
        core.onTopicStored(1, out.creations.get(0).stored(V1));
        core.admin(3, new CreateTopic("new", 1, 1, 1, Durability.REPLICATED));

        assertEquals(
                new AdminResult.Busy("another change of the topic is under way: topic=new; try again when it is done"),
                out.replies.get(2L));
        assertEquals(
                new AdminResult.Exists("topic exists: topic=new; choose another name, or use the topic that is there"),
                out.replies.get(3L));
        assertEquals(1, out.creations.size());
    }

    // The store says no: somebody else's topic has the name, or the topic does not fit.
    @Test
    void shouldAnswerRefusalsAndFailures() {
        start(without(3));
        core.admin(1, new CreateTopic("new", 1, 3, 2, Durability.REPLICATED));
        core.admin(2, new CreateTopic("new", 1, 2, 2, Durability.REPLICATED));
        core.onTopicNotStored(2, Optional.empty());
        core.admin(3, new CreateTopic("new", 1, 2, 2, Durability.REPLICATED));
        core.onTopicNotStored(3, Optional.of("too large"));

        assertTrue(((AdminResult.Refused) out.reply(1)).message().startsWith("too few brokers"));
        assertTrue(out.reply(2) instanceof AdminResult.Exists);
        assertEquals(new AdminResult.Refused("too large"), out.reply(3));
        assertEquals(2, out.creations.size());
    }

    @Test
    void shouldRefuseRecordsThatDoNotFit() {
        start(all());
        core.admin(1, new CreateTopic("new", 2, 1, 1, Durability.REPLICATED));
        List<VersionedState> one = out.creations.get(0).stored(V1).subList(0, 1);

        assertThrows(IllegalArgumentException.class, () -> core.onTopicStored(1, one));
    }

    // Replica j of partition i stands on broker (i + j) mod n, sorted, also for partitions that are added later.
    @Test
    void shouldPlaceByPositionWhenAsked() {
        start(all());
        core.admin(
                1,
                new CreateTopic(
                        "new", 2, 2, 1, Durability.REPLICATED, Placement.SEQUENTIAL, List.of(), TopicConfig.DEFAULT));
        assertEquals(List.of(List.of(1, 2), List.of(2, 3)), out.creations.get(0).assignment());
        core.onTopicStored(1, out.creations.get(0).stored(V1));
        core.admin(2, new AddPartitions("new", 4, Placement.SEQUENTIAL, List.of()));

        assertEquals(List.of(List.of(3, 1), List.of(1, 2)), out.creations.get(1).assignment());
        assertEquals(4, out.creations.get(1).topic().partitions());
    }

    @Test
    void shouldPlaceWhereItIsTold() {
        start(all());
        List<List<Integer>> wanted = List.of(List.of(3, 1), List.of(2, 3));
        core.admin(
                1,
                new CreateTopic(
                        "new", -1, -1, 1, Durability.REPLICATED, Placement.SPREAD, wanted, TopicConfig.DEFAULT));

        RecordedControl.Creation creation = out.creations.get(0);
        assertEquals(wanted, creation.assignment());
        assertEquals(2, creation.topic().partitions());
        assertEquals(2, creation.topic().replicationFactor());
        assertEquals(C, creation.states().get(0).leader());
    }

    // New partitions follow the ones that are there; the topic's next value says how many there are.
    @Test
    void shouldAddPartitions() {
        start(all());
        core.admin(1, new CreateTopic("new", 2, 2, 2, Durability.REPLICATED));
        RecordedControl.Creation creation = out.creations.get(0);
        core.onTopicStored(1, creation.stored(V1));
        core.admin(2, new AddPartitions("new", 5, Placement.SPREAD, List.of()));
        RecordedControl.Creation added = out.creations.get(1);

        assertEquals(2, added.firstPartition());
        assertEquals(3, added.states().size());
        assertEquals(creation.topic().withPartitions(5), added.topic());

        core.onTopicStored(2, added.stored(V2));
        assertEquals(new AdminResult.Done(added.topic()), out.reply(2));
        assertEquals(
                added.states().get(2),
                core.partition(new PartitionId(added.topic().topicId(), 4))
                        .orElseThrow()
                        .state());
    }

    // CP-06: what cannot be is refused, and nothing is written.
    @Test
    void shouldRefusePartitionsThatCannotBeAdded() {
        start(all());
        core.admin(1, new AddPartitions("new", 5, Placement.SPREAD, List.of()));
        core.admin(2, new CreateTopic("new", 3, 2, 2, Durability.REPLICATED));
        core.admin(3, new AddPartitions("new", 5, Placement.SPREAD, List.of()));
        core.onTopicStored(2, out.creations.get(0).stored(V1));
        core.admin(4, new AddPartitions("new", 2, Placement.SPREAD, List.of()));
        core.admin(5, new AddPartitions("new", 3, Placement.SPREAD, List.of()));

        assertEquals(new AdminResult.Unknown("unknown topic: topic=new; check its name"), out.reply(1));
        assertTrue(out.reply(3) instanceof AdminResult.Busy);
        assertEquals(
                new AdminResult.Refused("partitions cannot be removed: topic=new, partitions=3, wanted=2; their records"
                        + " would be lost, and keys would move to other partitions; create another topic and copy the"
                        + " records"),
                out.reply(4));
        assertEquals(
                new AdminResult.NoChange("the topic has so many partitions already: topic=new, partitions=3; name the"
                        + " number that it is to have in the end, more than 3"),
                out.reply(5));
        assertEquals(1, out.creations.size());
    }

    // The topic was changed by somebody else between the decision and the write.
    @Test
    void shouldLetAnotherChangeBeTriedAgainWhenTheTopicMovedOn() {
        start(all());
        core.admin(1, new CreateTopic("new", 1, 1, 1, Durability.REPLICATED));
        RecordedControl.Creation creation = out.creations.get(0);
        core.onTopicStored(1, creation.stored(V1));
        core.admin(2, new AddPartitions("new", 2, Placement.SPREAD, List.of()));
        core.onTopic(creation.topic().withPartitions(4));
        core.onTopicNotStored(2, Optional.empty());
        core.admin(3, new AddPartitions("new", 6, Placement.SPREAD, List.of()));

        assertTrue(out.reply(2) instanceof AdminResult.Busy);
        assertEquals(4, out.creations.get(2).firstPartition());
        assertEquals(2, out.creations.get(2).topic().revision());
    }

    // A topic that the predecessor's last write made shows up later: it is taken as it is.
    @Test
    void shouldTakeTopicOfItsPredecessor() {
        start(without(1));
        UUID late = new UUID(8, 8);
        core.onTopic(new TopicState("late", late, 1, 3, 2, Durability.REPLICATED));
        core.onPartitionState(new PartitionId(late, 0), LED_BY_A, V3);
        core.admin(4, new CreateTopic("late", 1, 1, 1, Durability.REPLICATED));

        assertEquals(B, out.lastState().leader());
        assertTrue(out.reply(4) instanceof AdminResult.Exists);
    }

    // CP-01: after leaving office nothing is emitted, whatever is still in the queue.
    @Test
    void shouldEmitNothingAfterResigning() {
        start(without(1));
        core.admin(1, new CreateTopic("new", 1, 1, 1, Durability.REPLICATED));
        core.resign();
        int writes = out.writes.size();
        int published = out.published.size();

        core.onBrokers(brokers());
        core.onWriteCommitted(P0, out.lastState(), V2);
        core.onWriteConflict(P0);
        core.onWriteUnknown(P0);
        core.onPartitionState(P0, LED_BY_A, V3);
        core.onTopicStored(1, out.creations.get(0).stored(V1));
        core.onTopicNotStored(1, Optional.empty());
        core.admin(2, new CreateTopic("other", 1, 1, 1, Durability.REPLICATED));

        assertEquals(writes, out.writes.size());
        assertEquals(published, out.published.size());
        assertEquals(1, out.creations.size());
        assertTrue(out.replies.isEmpty());
    }

    private long writesTo(PartitionId id) {
        return out.writes.stream().filter(write -> write.id().equals(id)).count();
    }

    private static PartitionChanges wish(PartitionChanges.Kind kind, int partition, Integer... replicas) {
        return new PartitionChanges(kind, List.of(new PartitionChanges.Target("t", partition, List.of(replicas))));
    }

    private PartitionResult result(long requestId) {
        return ((AdminResult.Partitions) out.reply(requestId)).results().get(0);
    }

    private static Map<Integer, BrokerRegistration> four() {
        Map<Integer, BrokerRegistration> more = all();
        more.put(4, broker(4, 40, 40));
        return more;
    }

    // The wish is answered when the record says so; the switch follows by itself when the target is in sync.
    @Test
    void shouldReassignInTwoWrites() {
        start(four());
        core.admin(1, wish(PartitionChanges.Kind.REASSIGN, 0, 4, 2, 3));
        assertTrue(out.replies.isEmpty());
        PartitionState started = out.lastState();
        assertEquals(List.of(4), started.adding());
        assertEquals(7, started.controllerEpoch());
        core.onWriteCommitted(P0, started, V2);

        assertEquals(PartitionResult.Outcome.DONE, result(1).outcome());
        assertEquals(1, out.writes.size());

        PartitionState grown = started.withIsr(List.of(A, B, C, new Replica(4, 40)), List.of());
        core.onPartitionState(P0, grown, V3);
        assertEquals(2, out.writes.size());
        assertEquals(V3, out.writes.get(1).expected());
        assertEquals(List.of(4, 2, 3), out.lastState().assignment());
        assertEquals(new Replica(4, 40), out.lastState().leader());
    }

    // C-02: a new controller finds the target in the record, and goes on.
    @Test
    void shouldFinishTheReassignmentOfAPredecessor() {
        PartitionState ready = LED_BY_A.withReplicas(List.of(1, 2, 3), List.of(2, 3), A);
        core.start(ClusterImage.empty("c").toBuilder()
                .brokers(all())
                .topic(new TopicState("t", TOPIC, 1, 3, 2, Durability.REPLICATED))
                .partition(P0, new VersionedState(ready, V1))
                .build());

        assertEquals(List.of(2, 3), out.lastState().assignment());
        assertEquals(B, out.lastState().leader());
    }

    // K-04: the answer is lost, the write landed: found done. It did not land: written again under the same condition.
    @Test
    void shouldSettleAWishWhoseOutcomeIsUnknown() {
        start(four());
        core.admin(1, wish(PartitionChanges.Kind.REASSIGN, 0, 4, 2, 3));
        PartitionState started = out.lastState();
        core.onWriteUnknown(P0);
        core.onPartitionState(P0, LED_BY_A, V1);
        assertEquals(2, out.writes.size());
        assertEquals(out.writes.get(0), out.writes.get(1));
        core.onWriteUnknown(P0);
        core.onPartitionState(P0, started, V2);

        assertEquals(PartitionResult.Outcome.DONE, result(1).outcome());
        assertEquals(2, out.writes.size());
    }

    // CP-12: the leader changed the ISR meanwhile; the wish is decided anew on what is stored now.
    @Test
    void shouldDecideAWishAnewAfterAConflict() {
        start(four());
        core.admin(1, wish(PartitionChanges.Kind.REASSIGN, 0, 4, 2, 3));
        core.onWriteConflict(P0);
        PartitionState shrunk = LED_BY_A.withIsr(List.of(A, B), List.of());
        core.onPartitionState(P0, shrunk, V2);

        assertEquals(V2, out.writes.get(1).expected());
        assertEquals(List.of(A, B), out.lastState().isr());
        assertEquals(List.of(4), out.lastState().adding());
    }

    // A dead leader comes first; the wish waits for that write.
    @Test
    void shouldMoveALeaderBeforeAWish() {
        start(without(1));
        core.admin(1, wish(PartitionChanges.Kind.ELECT_PREFERRED, 0));
        PartitionState moved = out.lastState();
        assertEquals(B, moved.leader());
        core.onWriteCommitted(P0, moved, V2);

        assertEquals(PartitionResult.Outcome.REFUSED, result(1).outcome());
        assertTrue(result(1).message().startsWith("the preferred leader is not fit to lead: partition=t-0, broker=1"));
    }

    // One bad entry refuses nothing but itself.
    @Test
    void shouldAnswerForEachPartition() {
        start(four());
        core.admin(
                1,
                new PartitionChanges(
                        PartitionChanges.Kind.REASSIGN,
                        List.of(
                                new PartitionChanges.Target("t", 0, List.of(4, 9)),
                                new PartitionChanges.Target("t", 1, List.of(4, 2)),
                                new PartitionChanges.Target("t", 1, List.of(1, 2)),
                                new PartitionChanges.Target("t", 7, List.of(1)),
                                new PartitionChanges.Target("u", 0, List.of(1)))));
        core.onWriteCommitted(P1, out.lastState(), V2);

        assertEquals(
                List.of("t-0 REFUSED", "t-1 BUSY", "t-1 DONE", "t-7 UNKNOWN", "u-0 UNKNOWN"),
                ((AdminResult.Partitions) out.reply(1))
                        .results().stream()
                                .map(one -> one.topic() + "-" + one.partition() + " " + one.outcome())
                                .sorted()
                                .toList());
    }

    // Who asks for everything hears of what was done.
    @Test
    void shouldElectPreferredLeadersEverywhere() {
        start(all());
        core.admin(1, new PartitionChanges(PartitionChanges.Kind.ELECT_PREFERRED, List.of()));
        assertEquals(1, out.writes.size());
        assertEquals(P1, out.writes.get(0).id());
        core.onWriteCommitted(P1, out.lastState(), V2);

        List<PartitionResult> results = ((AdminResult.Partitions) out.reply(1)).results();
        assertEquals(1, results.size());
        assertEquals(1, results.get(0).partition());
    }

    // By itself, at the second look, and with the conditional write that every other decision takes.
    @Test
    void shouldBalanceByItself() {
        start(all());
        assertEquals(0, core.tick(0));
        assertEquals(0, core.tick(59_000_000_000L));
        assertEquals(1, core.tick(60_000_000_000L));

        assertEquals(P1, out.writes.get(0).id());
        assertEquals(A, out.lastState().leader());
        assertEquals(7, out.lastState().controllerEpoch());
    }

    // Only without any leader, and without anybody who could lead with everything.
    @Test
    void shouldElectUncleanlyOnRequestOnly() {
        PartitionState alone = Fixtures.state(A, List.of(A), List.of());
        core.start(ClusterImage.empty("c").toBuilder()
                .brokers(without(1))
                .topic(new TopicState("t", TOPIC, 1, 3, 2, Durability.REPLICATED))
                .partition(P0, new VersionedState(alone, V1))
                .build());
        assertTrue(out.writes.isEmpty());

        core.admin(1, wish(PartitionChanges.Kind.ELECT_UNCLEAN, 0));
        assertEquals(B, out.lastState().leader());
        assertEquals(List.of(B), out.lastState().isr());
        assertEquals(alone.leaderEpoch() + 1, out.lastState().leaderEpoch());
        core.onWriteCommitted(P0, out.lastState(), V2);
        core.admin(2, wish(PartitionChanges.Kind.ELECT_UNCLEAN, 0));

        assertEquals(PartitionResult.Outcome.DONE, result(1).outcome());
        assertEquals(PartitionResult.Outcome.NO_CHANGE, result(2).outcome());
    }

    @Test
    void shouldRefuseAnUncleanElectionWhereACleanOneIsPossible() {
        Ruling ruling = LeaderSelector.unclean("t-0", LED_BY_A, without(1));
        assertEquals(PartitionResult.Outcome.REFUSED, ruling.outcome());
        assertEquals(
                PartitionResult.Outcome.REFUSED,
                LeaderSelector.unclean("t-0", LED_BY_A, Map.of()).outcome());
    }
}
