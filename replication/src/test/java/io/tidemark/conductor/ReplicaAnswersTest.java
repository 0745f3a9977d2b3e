package io.tidemark.conductor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.controller.TopicChange;
import io.tidemark.controller.TopicState;
import io.tidemark.partition.Durability;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.Replica;
import io.tidemark.partition.StateVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Broker 1 waits for brokers 2 and 3. */
class ReplicaAnswersTest {
    private final ReplicaAnswers answers = new ReplicaAnswers();
    private final List<Set<Integer>> ends = new ArrayList<>();

    @Test
    void shouldEndWhenEveryReplicaHasAnswered() {
        answers.await(answers.listen(change(), 1), 100, ends::add);
        answers.taken(2, List.of(record(Records.TOPIC)));
        assertEquals(0, answers.tick(50));
        answers.taken(3, List.of(record(Records.TOPIC)));

        assertEquals(1, answers.tick(50));
        assertEquals(List.of(Set.of()), ends);
        assertFalse(answers.isBusy());
    }

    @Test
    void shouldNameWhoDidNotAnswerInTime() {
        answers.await(answers.listen(change(), 1), 100, ends::add);
        answers.taken(2, List.of(record(Records.TOPIC)));
        assertEquals(0, answers.tick(99));
        assertTrue(answers.isBusy());

        assertEquals(1, answers.tick(100));
        assertEquals(List.of(Set.of(3)), ends);
    }

    // The watch showed the records before the answer to the write came, and broker 2 was quick.
    @Test
    void shouldCountAnAnswerThatCameBeforeTheWriteWasKnownToBeDone() {
        ReplicaAnswers.Wait wait = answers.listen(change(), 1);
        answers.taken(2, List.of(record(Records.TOPIC)));
        assertFalse(answers.isBusy());
        assertEquals(0, answers.tick(200));

        answers.await(wait, 300, ends::add);
        answers.taken(3, List.of(record(Records.TOPIC)));

        assertEquals(1, answers.tick(250));
        assertEquals(List.of(Set.of()), ends);
    }

    @Test
    void shouldForgetWhatNobodyWaitsFor() {
        ReplicaAnswers.Wait wait = answers.listen(change(), 1);
        answers.await(wait, 100, ends::add);
        answers.forget(wait);

        assertEquals(0, answers.tick(100));
        assertFalse(answers.isBusy());
        assertEquals(List.of(), ends);
    }

    // What a broker says about an earlier topic of the same name is no answer for this one.
    @Test
    void shouldNotTakeAnAnswerForAnotherTopicOfTheSameName() {
        TopicState earlier = new TopicState("orders", new UUID(0x4000, 6), 1, 3, 2, Durability.REPLICATED);
        answers.await(answers.listen(change(), 1), 100, ends::add);
        answers.taken(2, List.of(record(earlier)));
        answers.taken(3, List.of(record(earlier)));

        answers.tick(100);

        assertEquals(List.of(Set.of(2, 3)), ends);
    }

    private static TopicChange change() {
        return new TopicChange(Records.TOPIC, 0, List.of(Records.state(new Replica(1, 1))));
    }

    private static VersionedRecord record(TopicState topic) {
        return new VersionedRecord(
                topic,
                new PartitionId(topic.topicId(), 0),
                Records.state(new Replica(1, 1)),
                new StateVersion(1, 1, 1));
    }
}
