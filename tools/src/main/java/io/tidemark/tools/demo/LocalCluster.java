package io.tidemark.tools.demo;

import io.tidemark.broker.Broker;
import io.tidemark.broker.BrokerConfig;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.local.LocalStore;
import io.tidemark.tools.system.CommandFailure;
import io.tidemark.tools.system.Folders;
import io.tidemark.tools.system.Ports;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Brokers inside this process, around one coordination store in memory. A kill is {@link Broker#abort}, behind a client
 * of the store that is cut off, so that its session runs out: connections are reset and nothing is flushed.
 */
final class LocalCluster implements Cluster {
    private final Path folder;
    private final Narrator narrator;
    private final LocalStore store = LocalStore.create();
    private final Map<Integer, Integer> ports = new TreeMap<>();
    private final Map<Integer, Running> running = new ConcurrentSkipListMap<>();
    private final Queue<Coordination> dead = new ConcurrentLinkedQueue<>();
    private volatile boolean isDestroyed;

    /** A broker and its client of the store. */
    private record Running(Broker broker, Coordination coordination) {}

    /**
     * Prepares.
     *
     * @param folder where the brokers keep their folders
     * @param count how many brokers
     * @param random chooses ports
     * @param narrator tells what is started
     */
    LocalCluster(Path folder, int count, RandomGenerator random, Narrator narrator) {
        this.folder = folder;
        this.narrator = narrator;
        IntStream.rangeClosed(1, count).forEach(broker -> ports.put(broker, Ports.findFree(random)));
    }

    @Override
    public void start() {
        Folders.create(folder);
        ports.keySet().forEach(this::startBroker);
    }

    private void startBroker(int broker) {
        if (isDestroyed) {
            throw new CommandFailure("cannot start broker " + broker + ": the demo is ending");
        }
        int port = Objects.requireNonNull(ports.get(broker));
        Coordination coordination = store.connect(CoordinationConfig.builder()
                .clientName("broker-" + broker + "-coordination")
                .build());
        Broker started = Broker.start(
                BrokerConfig.builder()
                        .brokerId(broker)
                        .dataDirectory(dataFolder(broker))
                        .coordination("local:")
                        .host("127.0.0.1")
                        .port(port)
                        .build(),
                coordination);
        running.put(broker, new Running(started, coordination));
        narrator.tell("broker " + broker, "127.0.0.1:%d, in this process", port);
    }

    @Override
    public List<Integer> brokers() {
        return List.copyOf(ports.keySet());
    }

    @Override
    public String addresses() {
        return ports.values().stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
    }

    @Override
    public Coordination openCoordination() {
        return store.connect(
                CoordinationConfig.builder().clientName("demo-coordination").build());
    }

    @Override
    public void kill(int broker) {
        Running killed = running.remove(broker);
        if (killed != null) {
            // The session of a dead process is not renewed any more; that of an aborted broker would be.
            store.faults().partition(killed.coordination());
            killed.broker().abort();
            dead.add(killed.coordination());
        }
    }

    @Override
    public void restart(int broker) {
        startBroker(broker);
    }

    @Override
    public Path dataFolder(int broker) {
        return folder.resolve("broker-" + broker);
    }

    @Override
    public String evidence() {
        return "running brokers=" + running.keySet();
    }

    @Override
    public void closeBrokers() {
        running.values().forEach(one -> {
            one.broker().close();
            one.coordination().close();
        });
        running.clear();
    }

    @Override
    public void destroy() {
        isDestroyed = true;
        running.values().forEach(one -> one.broker().abort());
    }

    @Override
    public void close() {
        isDestroyed = true;
        running.values().forEach(one -> {
            one.broker().abort();
            one.coordination().close();
        });
        running.clear();
        for (Coordination client = dead.poll(); client != null; client = dead.poll()) {
            store.faults().heal(client);
            client.close();
        }
        store.close();
    }
}
