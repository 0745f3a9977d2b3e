package io.tidemark.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.partition.PartitionId;
import io.tidemark.wire.ErrorCode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Limits, at them and one past them. */
class LaneLimitsTest {
    private static final int ALL = AppendStage.ACKS_ALL;
    private static final int PENDING_PER_CONNECTION = 8;
    private static final int PENDING = 20;
    private static final int PARKED = 6;
    private static final int CONNECTIONS = 8;

    @TempDir
    Path directory;

    private LaneCluster cluster;
    private PartitionId pid;

    @BeforeEach
    void start() {
        LaneLimits limits = new LaneLimits(16, 4, PENDING_PER_CONNECTION, PENDING, PARKED, CONNECTIONS);
        cluster = new LaneCluster(directory, 2, limits);
        pid = cluster.create(0, 2, 1, 2);
        cluster.advanceMs(1000);
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private LaneClient connect() {
        LaneClient made = cluster.client();
        made.connect("node1", cluster.node(1).transport().port());
        cluster.run();
        return made;
    }

    private List<Long> produce(LaneClient client, int count) {
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ids.add(client.produce(pid, 0, ALL, "v" + i));
        }
        cluster.run();
        return ids;
    }

    // One short of the limit the connection is read; at the limit it is not, and nothing fails; all are answered later.
    @Test
    void shouldStopReadingAConnectionAtTheLimitOfUnansweredRequests() {
        LaneClient client = connect();
        cluster.node(2).transport().frozen = true;
        List<Long> ids = produce(client, PENDING_PER_CONNECTION - 1);
        assertEquals(PENDING_PER_CONNECTION - 1, cluster.node(1).log(pid).logEndOffset());
        ids.addAll(produce(client, 1));
        ids.addAll(produce(client, 5));
        assertEquals(PENDING_PER_CONNECTION, cluster.node(1).log(pid).logEndOffset());
        cluster.node(2).transport().frozen = false;
        cluster.run();
        for (long id : ids) {
            assertEquals(ErrorCode.NONE, client.reply(id).code());
        }
        assertEquals(ids, client.order);
    }

    // The lane's limit of pending requests over several connections: one past it is refused, nothing is appended.
    @Test
    void shouldRefuseARequestPastTheLanesLimit() {
        cluster.node(2).transport().frozen = true;
        List<LaneClient> clients = List.of(connect(), connect(), connect());
        produce(clients.get(0), PENDING_PER_CONNECTION - 1);
        produce(clients.get(1), PENDING_PER_CONNECTION - 1);
        List<Long> last = produce(clients.get(2), PENDING - 2 * (PENDING_PER_CONNECTION - 1));
        assertEquals(PENDING, cluster.node(1).log(pid).logEndOffset());
        long past = produce(clients.get(2), 1).get(0);
        assertEquals(ErrorCode.BACK_PRESSURE, clients.get(2).reply(past).code());
        assertEquals(PENDING, cluster.node(1).log(pid).logEndOffset());
        assertFalse(clients.get(2).isAnswered(last.get(0)));
        assertEquals(1L, cluster.node(1).counters.snapshot().get("requests.refused"));
    }

    // Parked reads: at the limit they wait, one past it is told to come again.
    @Test
    void shouldRefuseAParkedReadPastTheLimit() {
        LaneClient client = connect();
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i <= PARKED; i++) {
            ids.add(client.consume(pid, 0, 10_000));
        }
        cluster.run();
        for (int i = 0; i < PARKED; i++) {
            assertFalse(client.isAnswered(ids.get(i)));
        }
        assertEquals(ErrorCode.BACK_PRESSURE, client.reply(ids.get(PARKED)).code());
    }

    // One connection is the follower's; with the clients' the limit is reached, one more is closed.
    @Test
    void shouldCloseAConnectionPastTheLimit() {
        for (int i = 1; i < CONNECTIONS; i++) {
            assertEquals(ErrorCode.NONE, connect().greeting, "connection " + i);
        }
        LaneClient past = connect();
        assertTrue(past.closed);
        cluster.clients.get(0).connection().close();
        cluster.run();
        assertEquals(ErrorCode.NONE, connect().greeting);
    }

    // A client that takes nothing is not read until it does.
    @Test
    void shouldStopReadingAConnectionThatTakesNothing() {
        LaneClient client = connect();
        FakeNetwork.FakeConnection served = ((FakeNetwork.FakeConnection) client.connection()).peer();
        served.setWritable(false);
        produce(client, 1);
        assertFalse(served.reading);
        produce(client, 3);
        assertEquals(1, cluster.node(1).log(pid).logEndOffset());
        served.setWritable(true);
        cluster.run();
        assertTrue(served.reading);
        assertEquals(4, cluster.node(1).log(pid).logEndOffset());
    }

    // Bad limits are named.
    @Test
    void shouldCheckLimits() {
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> new LaneLimits(1000, 1, 1, 1, 1, 1));
        assertTrue(String.valueOf(e.getMessage()).contains("ringSize=1000"));
    }
}
