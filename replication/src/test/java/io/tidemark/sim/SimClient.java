package io.tidemark.sim;

import io.tidemark.client.Acks;
import io.tidemark.client.BackPressureException;
import io.tidemark.client.ClientConfig;
import io.tidemark.client.ConsumedRecord;
import io.tidemark.client.Consumer;
import io.tidemark.client.ConsumerConfig;
import io.tidemark.client.DeliveryTimeoutException;
import io.tidemark.client.NotEnoughReplicasException;
import io.tidemark.client.OffsetOutOfRangeException;
import io.tidemark.client.Producer;
import io.tidemark.client.ProducerConfig;
import io.tidemark.client.RecordPosition;
import io.tidemark.client.SteppedClient;
import io.tidemark.client.TidemarkException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A client process: producers that send numbered records, and a consumer that reads every partition. */
final class SimClient extends SimProcess {
    static final String TOPIC = "t";
    private static final int PENDING_MAX = 300;
    private static final int ACKS_ENOUGH = 550;

    /** What the oracle hears. */
    interface Listener {
        void onAcknowledged(History.Sent record);

        void onRead(SimClient client, int partition, long offset, long id);
    }

    private final SimCluster cluster;
    private final SteppedClient client;
    private final SimAgent agent;
    private final History history;
    private final Listener listener;
    private final List<OneProducer> producers = new ArrayList<>();
    private final Map<Integer, Long> positions = new HashMap<>();
    private @Nullable Consumer consumer;
    private final Set<History.Sent> pending = new LinkedHashSet<>();
    private boolean sends;
    private final long sendPauseNs;

    /** A producer with what it promises. */
    private record OneProducer(int number, Producer producer, boolean waitsForAll, boolean idempotent) {}

    SimClient(SimCluster cluster, int number, String bootstrap, History history, Listener listener) {
        super(cluster.world(), new SimMachine("c" + number), "c" + number);
        this.cluster = cluster;
        this.history = history;
        this.listener = listener;
        cluster.network().add(machine);
        client = new SteppedClient(
                bootstrap,
                ClientConfig.builder()
                        .connectTimeout(Duration.ofSeconds(2))
                        .requestTimeout(Duration.ofSeconds(5))
                        .build(),
                cluster.network().factory(this),
                world.nanoClock(machine),
                world.epochClock(machine));
        agent = add(client.agent(), client::park);
        sendPauseNs = world.knobs().sendPauseNs();
    }

    void start() {
        agent.start();
        followTopic();
    }

    /** Opens producers and a consumer as soon as the topic is known, and sends. */
    void work() {
        if (!knowsTopic()) {
            run(50_000_000L, this::work);
            return;
        }
        int number = cluster.nextProducer();
        addProducer(number, Acks.ALL, true);
        if (number % 2 == 0) {
            addProducer(cluster.nextProducer(), Acks.LEADER, false);
        } else {
            addProducer(cluster.nextProducer(), Acks.ALL, false);
        }
        startReading();
        sends = true;
        sendLater();
    }

    /** Opens a producer that waits for all, one that waits for the leader, and a consumer; sends nothing by itself. */
    void open() {
        addProducer(cluster.nextProducer(), Acks.ALL, true);
        addProducer(cluster.nextProducer(), Acks.LEADER, false);
        startReading();
    }

    /** Sends one record with a producer that {@link #open} made. */
    History.Sent send(boolean waitsForAll) {
        return send(producers.get(waitsForAll ? 0 : 1), 0);
    }

    boolean isWorking() {
        return consumer != null;
    }

    /** The process is killed: nobody will ever know what became of what it sent. */
    void kill() {
        die();
        cluster.network().processDied(this);
        pending.forEach(record -> history.end(record, History.Outcome.UNKNOWN, -1));
        pending.clear();
    }

    /** As somebody does who waits for a topic to be made. */
    private void followTopic() {
        if (!knowsTopic()) {
            client.follow(TOPIC);
            run(200_000_000L, this::followTopic);
        }
    }

    SteppedClient client() {
        return client;
    }

    boolean knowsTopic() {
        return client.partitions(TOPIC) != null;
    }

    /** Opens a producer; its number is unique in the cluster. */
    private void addProducer(int number, Acks acks, boolean idempotent) {
        Knobs knobs = world.knobs();
        Producer producer = client.producer(ProducerConfig.builder()
                .acks(acks)
                .idempotent(idempotent)
                .linger(Duration.ofMillis(knobs.lingerMs()))
                .batchBytes(1024)
                .bufferBytes(256 * 1024)
                .blockTimeout(Duration.ZERO)
                .deliveryTimeout(Duration.ofMillis(knobs.deliveryMs()))
                .build());
        producers.add(new OneProducer(number, producer, acks == Acks.ALL, idempotent && acks == Acks.ALL));
    }

    /** Reads all partitions from their beginning on. */
    private void startReading() {
        Consumer opened = client.consumer(ConsumerConfig.builder().build());
        opened.assign(TOPIC);
        opened.seekToBeginning();
        consumer = opened;
        readLater();
    }

    private void readLater() {
        run(20_000_000L, () -> {
            read();
            readLater();
        });
    }

    private void read() {
        Consumer current = consumer;
        if (current == null) {
            return;
        }
        try {
            for (ConsumedRecord record : current.poll(Duration.ZERO)) {
                onRecord(record);
            }
        } catch (OffsetOutOfRangeException outOfRange) {
            throw new SimViolation("I-11", "a consumer lost its place: " + outOfRange.getMessage(), outOfRange);
        } catch (TidemarkException failure) {
            throw new SimViolation("I-11", "a consumer failed: " + failure.getMessage(), failure);
        }
    }

    private void onRecord(ConsumedRecord record) {
        int partition = record.partition();
        long offset = record.offset();
        long expected = positions.getOrDefault(partition, 0L);
        if (offset != expected) {
            throw new SimViolation(
                    "I-11", "a consumer of partition " + partition + " went from " + expected + " to " + offset);
        }
        positions.put(partition, offset + 1);
        byte[] value = record.value();
        if (value == null) {
            throw new SimViolation("I-11", "a record without value at offset " + offset);
        }
        long id = History.idOf(value);
        listener.onRead(this, partition, offset, id);
        history.onRead(partition, offset, id);
        world.trace().mix(offset * 31 + id);
    }

    long positionOf(int partition) {
        return positions.getOrDefault(partition, 0L);
    }

    void stopSending() {
        sends = false;
    }

    private void sendLater() {
        if (sends) {
            // Enough is enough: later sends keep things moving, and a run short.
            int calm = history.acks() > ACKS_ENOUGH ? 40 : 1;
            run(world.random().nextLong(2 * sendPauseNs * calm) + 1, () -> {
                if (sends) {
                    burst();
                    sendLater();
                }
            });
        }
    }

    private void burst() {
        int count = world.random().nextInt(20) == 0 ? 30 : 1 + world.random().nextInt(3);
        for (int i = 0; i < count && history.pending() < PENDING_MAX * cluster.clientCount(); i++) {
            OneProducer by = producers.get(world.random().nextInt(producers.size()));
            send(by, world.random().nextInt(world.knobs().partitions()));
        }
    }

    private History.Sent send(OneProducer by, int partition) {
        int length = Long.BYTES + world.random().nextInt(world.knobs().valueBytesMax());
        History.Sent record = history.send(by.number, partition, by.waitsForAll, by.idempotent);
        pending.add(record);
        byte[] value = History.value(record.id, length);
        try {
            by.producer.send(
                    TOPIC,
                    partition,
                    History.key(record.id),
                    value,
                    (position, failure) -> onOutcome(record, position, failure));
            // PL-04: the caller's array is its own again; what it writes there now reaches no log.
            Arrays.fill(value, (byte) -1);
        } catch (BackPressureException full) {
            pending.remove(record);
            history.end(record, History.Outcome.REFUSED, -1);
        }
        return record;
    }

    private void onOutcome(History.Sent record, @Nullable RecordPosition position, @Nullable Throwable failure) {
        world.trace().mix(record.id);
        pending.remove(record);
        if (failure == null) {
            long offset = position == null ? -1 : position.offset();
            history.end(record, History.Outcome.OK, offset);
            listener.onAcknowledged(record);
        } else {
            boolean isRefused = isRefusal(failure);
            history.end(record, isRefused ? History.Outcome.REFUSED : History.Outcome.UNKNOWN, -1);
            cluster.oracle()
                    .sometimes()
                    .reached(isRefused ? "record refused for want of replicas" : "outcome unknown to a producer");
            world.trace().mix(String.valueOf(failure.getMessage()));
        }
    }

    /** Whether a failure says that the record is not stored and never will be. */
    private static boolean isRefusal(Throwable failure) {
        return failure instanceof NotEnoughReplicasException
                || (failure instanceof DeliveryTimeoutException
                        && String.valueOf(failure.getMessage()).startsWith("not stored"));
    }
}
