package io.tidemark.conductor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.controller.TopicState;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Version;
import io.tidemark.metadata.MetadataFormatException;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.metadata.MetadataKeys;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import io.tidemark.partition.StateVersion;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Queue, outbox, pauses, and the reading of topics. */
class SmallPartsTest {
    // At the limit a command is taken; one past it is refused, and that is remembered.
    @Test
    void shouldRefuseCommandsWhenTheQueueIsFull() {
        ConductorQueue queue = new ConductorQueue("conductor", 4);
        AtomicInteger wakeUps = new AtomicInteger();
        queue.wakeUp(wakeUps::incrementAndGet);
        List<Integer> ran = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int number = i;
            queue.execute(() -> ran.add(number));
        }
        assertFalse(queue.isOverflown());

        RejectedExecutionException full =
                assertThrows(RejectedExecutionException.class, () -> queue.execute(() -> ran.add(9)));

        assertEquals("command queue is full: owner=conductor, capacity=4", full.getMessage());
        assertTrue(queue.isOverflown());
        assertEquals(5, wakeUps.get());
        assertEquals(3, queue.drain(3));
        assertEquals(1, queue.drain(3));
        assertEquals(List.of(0, 1, 2, 3), ran);
        queue.close();
        queue.execute(() -> ran.add(5));
        assertEquals(0, queue.drain(3));
    }

    // What comes later must not overtake what waits.
    @Test
    void shouldKeepTheOrderWhenTheLaneHasNoRoom() {
        LaneOutbox outbox = new LaneOutbox();
        List<String> said = new ArrayList<>();
        AtomicInteger room = new AtomicInteger(1);
        for (String text : List.of("a", "b", "c")) {
            outbox.say(() -> room.getAndDecrement() > 0 && said.add(text));
        }
        assertEquals(List.of("a"), said);
        assertEquals(2, outbox.size());

        room.set(1);
        assertEquals(1, outbox.drain());
        assertEquals(List.of("a", "b"), said);
        room.set(5);
        assertEquals(1, outbox.drain());
        assertEquals(List.of("a", "b", "c"), said);
        assertEquals(0, outbox.drain());
        outbox.say(() -> false);
        outbox.clear();
        assertEquals(0, outbox.size());
    }

    // Pauses double up to a limit, are spread over half of their range, and begin anew after a success.
    @Test
    void shouldWaitLongerAfterEachFailure() {
        Backoff backoff = new Backoff(100, 1000, new SplittableRandom(1));
        int[] limits = {100, 200, 400, 800, 1000, 1000};
        for (int limit : limits) {
            long waitNs = backoff.nextNs();
            assertTrue(waitNs >= limit / 2 && waitNs <= limit, "waitNs=" + waitNs + ", limit=" + limit);
        }
        backoff.reset();
        assertTrue(backoff.nextNs() <= 100);
    }

    @Test
    void shouldUnwrapTheFailureOfAFuture() {
        IllegalStateException cause = new IllegalStateException("x");
        assertEquals(cause, CoordinationCalls.unwrap(new CompletionException(new ExecutionException(cause))));
        assertEquals(cause, CoordinationCalls.unwrap(cause));
    }

    // A store that delivers key by key may show a partition before its topic.
    @Test
    void shouldKeepARecordBackUntilItsTopicIsKnown() {
        PartitionState state = Records.state(new Replica(1, 1));
        Entry stateEntry = entry(MetadataKeys.partitionState("orders", Records.P0), MetadataJson.encode(state));
        Entry topicEntry = entry(MetadataKeys.topic("orders"), MetadataJson.encode(Records.TOPIC));
        Entry foreign = entry(Key.of("/brokers/topics/orders/notes"), new byte[0]);
        List<MetadataFormatException> broken = new ArrayList<>();
        List<Object> read = new ArrayList<>();
        TopicEntries.Receiver receiver = new TopicEntries.Receiver() {
            @Override
            public void topic(TopicState topic) {
                read.add(topic);
            }

            @Override
            public void record(VersionedRecord record) {
                read.add(record);
            }
        };
        TopicEntries entries = new TopicEntries(broken::add);

        entries.read(List.of(stateEntry, foreign), receiver);
        assertEquals(List.of(), read);
        entries.read(List.of(topicEntry), receiver);

        VersionedRecord record = new VersionedRecord(Records.TOPIC, Records.P0, state, new StateVersion(1, 2, 3));
        assertEquals(List.of(Records.TOPIC, record), read);
        entries.read(List.of(stateEntry), receiver);
        assertEquals(3, read.size());
        entries.clear();
        entries.read(List.of(stateEntry), receiver);
        assertEquals(3, read.size());
        entries.read(List.of(entry(MetadataKeys.topic("orders"), "{".getBytes(StandardCharsets.UTF_8))), receiver);
        assertEquals(1, broken.size());
    }

    // Records never go back, in whatever order they come.
    @Test
    void shouldKeepTheNewestRecord() {
        ClusterView view = new ClusterView();
        PartitionState first = Records.state(new Replica(1, 1), new Replica(2, 2));
        PartitionState second = first.withIsr(List.of(new Replica(1, 1)), List.of(new Replica(2, 2)));
        PartitionState moved = first.withLeader(new Replica(2, 2), List.of(new Replica(2, 2)), List.of());
        view.cluster("c1");

        assertTrue(view.apply(record(second, 2)));
        assertFalse(view.apply(record(first, 1)));
        assertFalse(view.apply(record(second, 2)));
        assertTrue(view.apply(record(moved, 3)));
        assertFalse(view.apply(record(second, 2)));
        assertTrue(view.publish());
        assertFalse(view.publish());

        assertEquals(moved, view.image().partition(Records.P0).orElseThrow().state());
        assertEquals("c1", view.image().clusterId());
        assertEquals(Records.TOPIC, view.image().topic("orders").orElseThrow());
    }

    // A later controller may be known before an earlier one's last message comes.
    @Test
    void shouldKeepTheLatestController() {
        ClusterView view = new ClusterView();
        view.controller(2, 7);
        view.controller(1, 6);
        view.publish();

        assertEquals(2, view.image().controllerBroker());
        assertEquals(7, view.controllerEpoch());
    }

    private static VersionedRecord record(PartitionState state, long revision) {
        return new VersionedRecord(Records.TOPIC, Records.P0, state, new StateVersion(1, revision, revision));
    }

    private static Entry entry(Key key, byte[] value) {
        return new Entry(key, value, new Version(1, 2, 3), OptionalLong.empty());
    }
}
