package io.tidemark.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.lmax.disruptor.InsufficientCapacityException;
import io.tidemark.controller.BrokerRegistration;
import io.tidemark.controller.ClusterImage;
import io.tidemark.log.Log;
import io.tidemark.log.LogConfig;
import io.tidemark.partition.Durability;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.ProducerTable;
import io.tidemark.partition.Replica;
import io.tidemark.transport.Connection;
import io.tidemark.transport.ConnectionHandler;
import io.tidemark.transport.NettyTransport;
import io.tidemark.transport.Transport;
import io.tidemark.wire.FrameDescriptor;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.AbstractList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real threads: an idle lane waits without using the processor, and never sleeps through an event. */
class LaneWakeUpTest {
    private static final long HAMMER_NS = TimeUnit.SECONDS.toNanos(4);
    private static final long LOST_NS = TimeUnit.SECONDS.toNanos(20);
    private static final int MEETINGS = 512;
    private static final int ROUNDS_MIN = 200;
    private static final int ROUNDS_MAX = 30_000;
    private static final int NETWORK_EVENTS = 3_000;
    private static final long IDLE_MS = 1500;
    private static final long IDLE_CPU_MAX_NS = TimeUnit.MILLISECONDS.toNanos(60);

    @TempDir
    Path directory;

    /** One meeting of a producer and a lane that is about to wait: a ring, and a count of wake-ups. */
    private static final class Meeting {
        final CountingTransport transport = new CountingTransport();
        final LaneWaker waker = new LaneWaker();
        final LaneRing ring = new LaneRing(2, waker);
        int handled;

        Meeting() {
            waker.attach(transport);
        }

        void publish() {
            try {
                long sequence = ring.tryNext();
                ring.get(sequence).type = EventType.PEER_DEAD;
                ring.publish(sequence);
            } catch (InsufficientCapacityException e) {
                throw new AssertionError("one event at a time fits", e);
            }
        }

        /** What {@link Lane#park} does before it waits. */
        void fallAsleep() {
            waker.beginSleep();
            look();
        }

        void look() {
            try {
                ring.poll(this::count, this::count, this::count);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }

        private boolean count(ReplicationEvent event, long sequence, boolean endOfBatch) {
            handled++;
            return true;
        }

        /** Whether the lane would now wait for an event that is there, and makes ready for the next meeting. */
        boolean settle() {
            boolean lost = handled == 0 && transport.wakeUps == 0;
            look();
            waker.endSleep();
            handled = 0;
            transport.wakeUps = 0;
            return lost;
        }
    }

    /** A network that only counts. */
    private static final class CountingTransport implements Transport {
        int wakeUps;

        @Override
        public int poll() {
            return 0;
        }

        @Override
        public void park(long timeoutNs) {
            // Nobody waits here.
        }

        @Override
        public void wakeUp() {
            wakeUps++;
        }

        @Override
        public InetSocketAddress listen(String host, int port, Function<Connection, ConnectionHandler> acceptor) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Connection connect(String host, int port, long timeoutNs, ConnectionHandler handler) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {
            // Nothing is held.
        }
    }

    // Producer and lane go side by side along many rings: one publishes, the other falls asleep. At each, the lane must
    // have seen the event or been woken. Without the fence between publish and flag, some in a million are lost.
    @Test
    @Timeout(60)
    void shouldNotSleepThroughAnEvent() throws InterruptedException {
        Meeting[] meetings = new Meeting[MEETINGS];
        for (int i = 0; i < MEETINGS; i++) {
            meetings[i] = new Meeting();
        }
        AtomicInteger round = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        Thread producer = new Thread(() -> produceAlong(meetings, round, done), "hammering-producer");
        producer.start();
        long untilNs = System.nanoTime() + HAMMER_NS;
        int rounds = 0;
        int lost = 0;
        while (rounds < ROUNDS_MAX && (rounds < ROUNDS_MIN || System.nanoTime() - untilNs < 0)) {
            round.set(++rounds);
            for (Meeting meeting : meetings) {
                meeting.fallAsleep();
            }
            while (done.get() != rounds) {
                Thread.onSpinWait();
            }
            for (Meeting meeting : meetings) {
                lost += meeting.settle() ? 1 : 0;
            }
        }
        round.set(-1);
        producer.join();
        assertEquals(0, lost, "events slept through, of " + (long) rounds * MEETINGS);
    }

    private static void produceAlong(Meeting[] meetings, AtomicInteger round, AtomicInteger done) {
        int mine = 0;
        while (true) {
            int current = round.get();
            if (current < 0) {
                return;
            }
            if (current == mine) {
                Thread.onSpinWait();
                continue;
            }
            mine = current;
            for (Meeting meeting : meetings) {
                meeting.publish();
            }
            done.set(mine);
        }
    }

    /** Counts how often the lane walks over it. */
    private static final class WatchedList extends AbstractList<BrokerRegistration> {
        private final AtomicLong walks;

        WatchedList(AtomicLong walks) {
            this.walks = walks;
        }

        @Override
        public BrokerRegistration get(int index) {
            throw new IndexOutOfBoundsException(index);
        }

        @Override
        public int size() {
            return 0;
        }

        @Override
        public Iterator<BrokerRegistration> iterator() {
            walks.incrementAndGet();
            return List.<BrokerRegistration>of().iterator();
        }
    }

    private static LaneAgent lane(FakeConductor conductor) {
        return new LaneAgent(new LaneContext(
                LaneConfig.of(1, "127.0.0.1", 0, LaneCluster.LAG_NS),
                name -> new NettyTransport(name, FrameDescriptor.FRAME_LENGTH_MAX_DEFAULT),
                SystemNanoClock.INSTANCE,
                conductor,
                () -> ClusterImage.empty(LaneCluster.CLUSTER_ID),
                () -> true,
                new LaneCounters()));
    }

    private static AgentRunner run(LaneAgent lane) {
        AgentRunner runner = new AgentRunner(
                new LaneIdle(lane),
                error -> {
                    throw new AssertionError(error);
                },
                null,
                lane);
        AgentRunner.startOnThread(runner);
        return runner;
    }

    // The lane waits in epoll without any timer; each event, at random moments, is handled long before a minute.
    @Test
    @Timeout(120)
    void shouldWakeALaneThatWaitsInTheNetwork() {
        long seed = System.nanoTime();
        System.out.println("seed=" + seed + "; to replay, set the seed in LaneWakeUpTest");
        Random random = new Random(seed);
        LaneAgent lane = lane(new FakeConductor());
        AtomicLong walks = new AtomicLong();
        WatchedList list = new WatchedList(walks);
        try (AgentRunner runner = run(lane)) {
            lane.address().join();
            long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            for (int sent = 1; sent <= NETWORK_EVENTS && System.nanoTime() - untilNs < 0; sent++) {
                for (int pause = random.nextInt(2000); pause > 0; pause--) {
                    Thread.onSpinWait();
                }
                assertTrue(lane.proxy().brokers(list));
                long lostNs = System.nanoTime() + LOST_NS;
                while (walks.get() < sent) {
                    Thread.onSpinWait();
                    assertTrue(System.nanoTime() - lostNs < 0, "an event was slept through: seed=" + seed);
                }
            }
            lane.proxy().stop();
            assertEquals("lane-1-0", runner.agent().roleName());
        }
    }

    // A lane that leads a partition, hence has timers, and has nothing to do: hardly any processor time in 1.5 s.
    @Test
    @Timeout(60)
    void shouldUseNoProcessorWhileIdle() throws InterruptedException {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        LaneAgent lane = lane(new FakeConductor());
        Replica self = new Replica(1, 1);
        PartitionId pid = new PartitionId(new UUID(1, 2), 0);
        try (Log log = Log.open(directory, LogConfig.defaults());
                AgentRunner runner = run(lane)) {
            lane.address().join();
            LogHandle handle = new LogHandle(log, new ProducerTable(), -1, new PartitionGauge());
            assertTrue(lane.proxy().registered(self, LaneCluster.CLUSTER_ID));
            PartitionState state = PartitionState.initial(List.of(1), List.of(self), 1, Durability.REPLICATED, 1);
            assertTrue(lane.proxy()
                    .applyState(new PartitionAssignment(LaneCluster.nameOf(pid), pid, state, handle, self)));
            long untilNs = System.nanoTime() + LOST_NS;
            while (handle.gauge().role() != PartitionRole.LEADER) {
                Thread.onSpinWait();
                assertTrue(System.nanoTime() - untilNs < 0, "the lane does not take the role");
            }
            Thread thread = runner.thread();
            long before = threads.getThreadCpuTime(thread.getId());
            thread.join(IDLE_MS);
            long used = threads.getThreadCpuTime(thread.getId()) - before;
            assertTrue(used < IDLE_CPU_MAX_NS, "processor time in " + IDLE_MS + " ms: " + used + " ns");
            lane.proxy().stop();
        }
    }
}
