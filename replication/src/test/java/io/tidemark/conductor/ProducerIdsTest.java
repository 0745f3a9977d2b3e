package io.tidemark.conductor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.coordination.ConnectionLostException;
import io.tidemark.coordination.Coordination;
import io.tidemark.metadata.MetadataFormatException;
import io.tidemark.metadata.MetadataKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ProducerIdsTest {
    private final VirtualCluster cluster = new VirtualCluster();
    private final List<Long> given = new ArrayList<>();
    private final List<Throwable> failed = new ArrayList<>();
    private final ProducerIds.Receiver receiver = new ProducerIds.Receiver() {
        @Override
        public void given(long producerId) {
            given.add(producerId);
        }

        @Override
        public void failed(Throwable cause) {
            failed.add(cause);
        }
    };

    @AfterEach
    void close() {
        cluster.close();
    }

    // Two brokers take blocks in turn; no id is ever given twice.
    @Test
    void shouldNeverGiveAnIdTwice() {
        ProducerIds one = ids(cluster.client("broker-1"));
        ProducerIds two = ids(cluster.client("broker-2"));
        int count = (int) ProducerIds.BLOCK_SIZE + 10;
        for (int i = 0; i < count; i++) {
            assertTrue(one.next(receiver));
            assertTrue(two.next(receiver));
            cluster.settle();
        }

        Set<Long> distinct = new HashSet<>(given);
        assertEquals(2 * count, distinct.size());
        assertEquals(
                Long.toString(4 * ProducerIds.BLOCK_SIZE),
                cluster.entry(MetadataKeys.PRODUCER_IDS).orElseThrow().valueText());
    }

    // The block was taken, but nobody told: it is left alone.
    @Test
    void shouldTakeAnotherBlockWhenTheAnswerIsLost() {
        Coordination client = cluster.client("broker-1");
        ProducerIds ids = ids(client);
        cluster.faults().dropNextReply(client);

        ids.next(receiver);
        cluster.settle();

        assertEquals(List.of(ProducerIds.BLOCK_SIZE), given);
    }

    // At the limit everybody waits for the one block; one past it is turned away.
    @Test
    void shouldTurnAwayWhenTooManyWait() {
        Coordination client = cluster.client("broker-1");
        ProducerIds ids = ids(client);
        cluster.faults().partition(client);
        for (int i = 0; i < ProducerIds.WAITING_MAX; i++) {
            assertTrue(ids.next(receiver));
        }
        assertFalse(ids.next(receiver));

        cluster.advance(Duration.ofSeconds(2));
        assertEquals(ProducerIds.WAITING_MAX, failed.size());
        assertTrue(failed.get(0) instanceof ConnectionLostException);
        cluster.faults().heal(client);
        assertTrue(ids.next(receiver));
        cluster.settle();
        assertEquals(1, given.size());
    }

    @Test
    void shouldFailWhenTheCounterCannotBeRead() {
        cluster.put(MetadataKeys.PRODUCER_IDS, "many");
        ids(cluster.client("broker-1")).next(receiver);
        cluster.settle();

        assertTrue(failed.get(0) instanceof MetadataFormatException);
        assertTrue(String.valueOf(failed.get(0).getMessage()).contains("/producer_ids"));
    }

    private ProducerIds ids(Coordination client) {
        return new ProducerIds(client, new CoordinationCalls(cluster.queue("conductor")));
    }
}
