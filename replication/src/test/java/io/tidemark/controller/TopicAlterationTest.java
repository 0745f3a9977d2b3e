package io.tidemark.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.partition.Durability;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import io.tidemark.partition.StateVersion;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a controller decides about the configuration of topics. */
class TopicAlterationTest {
    private static final UUID ID = new UUID(1, 2);
    private static final TopicState TOPIC = new TopicState("t", ID, 2, 3, 2, Durability.REPLICATED);
    private static final PartitionId P0 = new PartitionId(ID, 0);
    private static final PartitionId P1 = new PartitionId(ID, 1);
    private static final Replica ONE = new Replica(1, 1);
    private static final Replica TWO = new Replica(2, 1);
    private static final Replica THREE = new Replica(3, 1);
    private static final PartitionState WHOLE =
            PartitionState.initial(List.of(1, 2, 3), List.of(ONE, TWO, THREE), 2, Durability.REPLICATED, 1);
    private static final PartitionState ALONE = WHOLE.withIsr(List.of(ONE), List.of(TWO));
    private static final StateVersion V1 = new StateVersion(1, 1, 1);

    private final RecordedControl out = new RecordedControl();

    private ControllerCore started(TopicState topic) {
        ControllerCore core = new ControllerCore(7, ControllerSettings.DEFAULT, new Random(1), out, true);
        core.start(ClusterImage.empty("c").toBuilder()
                .brokers(Map.of(1, Fixtures.broker(1, 1, 1), 2, Fixtures.broker(2, 1, 1), 3, Fixtures.broker(3, 1, 1)))
                .topic(topic)
                .partition(P0, new VersionedState(WHOLE, V1))
                .partition(P1, new VersionedState(ALONE, V1))
                .build());
        return core;
    }

    private static AlterTopic set(String name, String value) {
        return new AlterTopic("t", Map.of(name, value));
    }

    // Retention is in the topic's record alone: one write, and the brokers are told.
    @Test
    void shouldStoreRetentionWithoutTouchingPartitions() {
        ControllerCore core = started(TOPIC);
        core.admin(1, set("retention.ms", "60000"));
        TopicState wanted = TOPIC.with(2, new TopicConfig(OptionalLong.of(60_000), OptionalLong.empty()));
        assertEquals(wanted, out.creations.get(0).topic());
        assertEquals(List.of(), out.creations.get(0).states());

        core.onTopicStored(1, List.of());

        assertEquals(new AdminResult.Done(wanted), out.reply(1));
        assertEquals(List.of(wanted), out.publishedTopics);
        assertEquals(List.of(), out.writes);
        core.admin(2, set("retention.ms", ""));
        assertEquals(TopicConfig.DEFAULT, out.creations.get(1).topic().config());
    }

    // The minimum changes by a conditional write per partition, which recomputes the ELR; the leader epoch stays.
    @Test
    void shouldWriteTheMinimumIntoEachRecordAndRecomputeTheElr() {
        ControllerCore core = started(TOPIC);
        core.admin(1, set("min.isr", "1"));
        assertEquals(List.of(), out.writes);
        core.onTopicStored(1, List.of());

        assertEquals(2, out.writes.size());
        PartitionState whole = out.writes.get(0).state();
        PartitionState alone = out.writes.get(1).state();
        assertEquals(WHOLE.withMinIsr(1).withControllerEpoch(7), whole);
        assertEquals(WHOLE.leaderEpoch(), whole.leaderEpoch());
        assertEquals(WHOLE.partitionEpoch() + 1, whole.partitionEpoch());
        assertEquals(List.of(), alone.elr());
        assertEquals(1, alone.minIsr());
        core.onWriteCommitted(P0, whole, new StateVersion(1, 2, 2));
        core.onWriteCommitted(P1, alone, new StateVersion(1, 3, 2));
        assertEquals(2, out.writes.size());
    }

    // Raised above what is in sync: who was eligible stays so.
    @Test
    void shouldKeepTheElrWhenTheMinimumIsRaised() {
        assertEquals(List.of(TWO), ALONE.withMinIsr(3).elr());
        assertEquals(3, ALONE.withMinIsr(3).minIsr());
    }

    // C-02: a controller that died between the topic's write and those of its partitions; the next one ends the job.
    @Test
    void shouldEndAnAlterationThatItsPredecessorBegan() {
        started(TOPIC.with(3, TopicConfig.DEFAULT));
        assertEquals(2, out.writes.size());
        out.writes.forEach(write -> assertEquals(3, write.state().minIsr()));
    }

    // A write that lost against the leader's is decided anew, on the record as it is then.
    @Test
    void shouldWriteTheMinimumAgainWhenTheLeaderWasFaster() {
        ControllerCore core = started(TOPIC);
        core.admin(1, set("min.isr", "3"));
        core.onTopicStored(1, List.of());
        core.onWriteConflict(P0);
        PartitionState changed = WHOLE.withIsr(List.of(ONE, TWO), List.of());
        core.onPartitionState(P0, changed, new StateVersion(1, 5, 5));
        assertEquals(changed.withMinIsr(3).withControllerEpoch(7), out.lastState());
    }

    @Test
    void shouldRefuseWhatCannotBe() {
        ControllerCore core = started(TOPIC);
        assertRefused(core, 1, set("min.isr", "4"), "min.isr='4'; choose 1 to 3");
        assertRefused(core, 2, set("min.isr", ""), "min.isr=''");
        assertRefused(core, 3, set("min.isr", "many"), "min.isr='many'");
        assertRefused(core, 4, set("retention.ms", "-2"), "retention.ms=-2; choose 0 to");
        assertRefused(core, 5, set("retention.bytes", "1.5"), "retention.bytes=1.5, topic=t");
        assertRefused(core, 6, set("colour", "1"), "setting=colour; known are [min.isr, retention.");
        core.admin(7, set("min.isr", "2"));
        assertTrue(out.reply(7) instanceof AdminResult.NoChange, out.reply(7).toString());
        core.admin(8, new AlterTopic("absent", Map.of("min.isr", "1")));
        assertTrue(out.reply(8) instanceof AdminResult.Unknown, out.reply(8).toString());
        core.admin(9, set("min.isr", "1"));
        core.admin(10, set("min.isr", "3"));
        assertTrue(out.reply(10) instanceof AdminResult.Busy, out.reply(10).toString());
    }

    private void assertRefused(ControllerCore core, long requestId, AlterTopic wish, String part) {
        core.admin(requestId, wish);
        String message = ((AdminResult.Refused) out.reply(requestId)).message();
        assertTrue(message.contains(part), message);
        assertEquals(List.of(), out.creations);
    }
}
