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
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a controller decides about deletions. */
class TopicDeletionTest {
    private static final UUID ID = new UUID(1, 2);
    private static final TopicState TOPIC = new TopicState("t", ID, 1, 2, 1, Durability.REPLICATED);
    private static final PartitionId P0 = new PartitionId(ID, 0);
    private static final PartitionState STATE = PartitionState.initial(
            List.of(1, 2), List.of(new Replica(1, 1), new Replica(2, 1)), 1, Durability.REPLICATED, 1);

    private final RecordedControl out = new RecordedControl();

    private ControllerCore started(boolean isDeletionAllowed) {
        ControllerCore core = new ControllerCore(7, ControllerSettings.DEFAULT, new Random(1), out, isDeletionAllowed);
        core.start(ClusterImage.empty("c").toBuilder()
                .brokers(Map.of(1, Fixtures.broker(1, 1, 1), 2, Fixtures.broker(2, 1, 1)))
                .topic(TOPIC)
                .partition(P0, new VersionedState(STATE, new StateVersion(1, 1, 1)))
                .build());
        return core;
    }

    private static DeleteTopic any(String name) {
        return new DeleteTopic(name, Optional.empty());
    }

    // C-03: once the tombstone is stored the name is free, whatever is still known of the old topic.
    @Test
    void shouldFreeTheNameWhenTheTombstoneIsStored() {
        ControllerCore core = started(true);
        core.admin(1, any("t"));
        assertEquals(Map.of(1L, TOPIC), out.deletions);
        assertTrue(out.replies.isEmpty());

        core.onTopicDeleted(1);

        assertEquals(new AdminResult.Done(TOPIC), out.reply(1));
        assertEquals(List.of(TOPIC), out.publishedDeletions);
        core.admin(2, new CreateTopic("t", 1, 2, 1, Durability.REPLICATED));
        assertEquals(1, out.creations.size());
        assertTrue(!out.creations.get(0).topic().topicId().equals(ID));
    }

    // CP-02: late news of a deleted topic bring neither it nor a decision about it back.
    @Test
    void shouldPassOverLateNewsOfADeletedTopic() {
        ControllerCore core = started(true);
        core.admin(1, any("t"));
        core.onTopicDeleted(1);
        int published = out.published.size();

        core.onTopic(TOPIC.withPartitions(2));
        core.onPartitionState(P0, STATE.withIsr(List.of(new Replica(1, 1)), List.of()), new StateVersion(1, 9, 9));
        core.onWriteCommitted(P0, STATE.withIsr(List.of(new Replica(1, 1)), List.of()), new StateVersion(1, 9, 9));
        core.onBrokers(Map.of(2, Fixtures.broker(2, 1, 1)));

        assertEquals(Optional.empty(), core.partition(P0));
        assertEquals(published, out.published.size());
        assertEquals(List.of(), out.writes);
        core.admin(2, any("t"));
        assertTrue(out.reply(2) instanceof AdminResult.Unknown, out.reply(2).toString());
    }

    // CP-06: what comes while the deletion is under way is told to wait, a second deletion too.
    @Test
    void shouldTellOtherChangesToWaitDuringADeletion() {
        ControllerCore core = started(true);
        core.admin(1, any("t"));

        core.admin(2, any("t"));
        core.admin(3, new AddPartitions("t", 5, Placement.SPREAD, List.of()));
        core.admin(4, new CreateTopic("t", 1, 2, 1, Durability.REPLICATED));

        assertTrue(out.reply(2) instanceof AdminResult.Busy);
        assertTrue(out.reply(3) instanceof AdminResult.Busy);
        assertTrue(out.reply(4) instanceof AdminResult.Exists);
        core.onTopicDeleted(1);
        core.admin(5, new AddPartitions("t", 5, Placement.SPREAD, List.of()));
        assertTrue(out.reply(5) instanceof AdminResult.Unknown);
    }

    @Test
    void shouldDeleteNothingWhenDeletionsAreSwitchedOff() {
        ControllerCore core = started(false);
        core.admin(1, any("t"));
        assertEquals(
                new AdminResult.Refused("topics are not deleted in this cluster: topic=t, delete.topic.enable=false;"
                        + " set delete.topic.enable=true on the brokers to allow it"),
                out.reply(1));
        assertTrue(out.deletions.isEmpty());
    }

    // A topic that was made anew under the name is spared.
    @Test
    void shouldDeleteOnlyTheTopicOfTheWantedId() {
        ControllerCore core = started(true);
        core.admin(1, new DeleteTopic("t", Optional.of(new UUID(9, 9))));
        AdminResult.Unknown refusal = (AdminResult.Unknown) out.reply(1);
        assertTrue(refusal.message().contains("topicId=" + ID), refusal.message());
        core.admin(2, new DeleteTopic("t", Optional.of(ID)));
        assertEquals(Map.of(2L, TOPIC), out.deletions);
    }

    // What the store cannot take is answered, and the topic lives on.
    @Test
    void shouldKeepTheTopicWhenItsDeletionIsNotStored() {
        ControllerCore core = started(true);
        core.admin(1, any("t"));
        core.onTopicNotDeleted(1, "why");
        assertEquals(new AdminResult.Refused("why"), out.reply(1));
        core.admin(2, any("t"));
        assertEquals(Map.of(1L, TOPIC, 2L, TOPIC), out.deletions);
        assertEquals(List.of(), out.publishedDeletions);
    }
}
