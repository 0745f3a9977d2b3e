package io.tidemark.tools.demo;

import io.tidemark.coordination.Coordination;
import io.tidemark.tools.Tidemark;
import io.tidemark.tools.system.ChildProcess;
import io.tidemark.tools.system.CommandFailure;
import io.tidemark.tools.system.Folders;
import io.tidemark.tools.system.Ports;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Brokers in processes of their own, which are killed with SIGKILL. */
final class ProcessCluster implements Cluster {
    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration DESTROY_TIMEOUT = Duration.ofSeconds(5);

    /** Small heaps: a broker's records live in mapped files. One collector thread each: they share few processors. */
    private static final List<String> JVM_OPTIONS =
            List.of("-Xms64m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-Dtidemark.log.level=INFO");

    private final Path folder;
    private final Narrator narrator;
    private final CoordinationPlace place;
    private final List<String> settings;
    private final Map<Integer, Integer> ports = new TreeMap<>();
    private final Map<Integer, ChildProcess> children = new ConcurrentSkipListMap<>();
    private final List<ChildProcess> all = new ArrayList<>();
    private boolean isDestroyed;

    /**
     * Prepares.
     *
     * @param folder where the brokers keep their folders and logs
     * @param count how many brokers
     * @param place the coordination service; closed with the cluster
     * @param random chooses ports
     * @param narrator tells what is started
     * @param settings of the brokers beyond those that they need, each {@code key=value}
     */
    ProcessCluster(
            Path folder,
            int count,
            CoordinationPlace place,
            RandomGenerator random,
            Narrator narrator,
            List<String> settings) {
        this.folder = folder;
        this.place = place;
        this.narrator = narrator;
        this.settings = List.copyOf(settings);
        IntStream.rangeClosed(1, count).forEach(broker -> ports.put(broker, Ports.findFree(random)));
    }

    @Override
    public void start() {
        place.start(new CoordinationPlace.Starter() {
            @Override
            public ChildProcess start(ChildProcess.Command command) {
                return startChild(command.name(), () -> ChildProcess.start(command));
            }

            @Override
            public ChildProcess start(ChildProcess.Program program) {
                return startChild(program.name(), () -> ChildProcess.start(program));
            }
        });
        ports.keySet().forEach(this::startBroker);
        children.forEach(this::awaitReady);
    }

    /** Starts a child unless everything has been destroyed; the lock makes sure that no child escapes. */
    private synchronized ChildProcess startChild(String name, Supplier<ChildProcess> starter) {
        if (isDestroyed) {
            throw new CommandFailure("cannot start " + name + ": the demo is ending");
        }
        ChildProcess child = starter.get();
        all.add(child);
        return child;
    }

    private void startBroker(int broker) {
        Folders.create(folder.resolve("logs"));
        List<String> arguments = new ArrayList<>(List.of(
                "broker",
                "--exit-with-parent",
                "--id",
                Integer.toString(broker),
                "--data",
                dataFolder(broker).toString(),
                "--coordination",
                place.uri(),
                "--host",
                "127.0.0.1",
                "--port",
                Integer.toString(port(broker))));
        // The names of files, not what is in them.
        place.security()
                .forEach((name, value) -> arguments.addAll(List.of("--set", "coordination." + name + "=" + value)));
        settings.forEach(setting -> arguments.addAll(List.of("--set", setting)));
        ChildProcess.Command command = new ChildProcess.Command(
                "broker " + broker,
                Tidemark.class,
                JVM_OPTIONS,
                arguments,
                folder.resolve("logs").resolve("broker-" + broker + ".log"));
        ChildProcess child = startChild(command.name(), () -> ChildProcess.start(command));
        children.put(broker, child);
    }

    private void awaitReady(int broker, ChildProcess child) {
        child.awaitLine("ready broker=" + broker + " ", START_TIMEOUT);
        narrator.tell("broker " + broker, "127.0.0.1:%d, pid %d", port(broker), child.pid());
    }

    private int port(int broker) {
        return Objects.requireNonNull(ports.get(broker));
    }

    private ChildProcess child(int broker) {
        return Objects.requireNonNull(children.get(broker));
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
        return place.open();
    }

    @Override
    public void kill(int broker) {
        child(broker).kill();
    }

    @Override
    public void restart(int broker) {
        if (!child(broker).awaitEnd(DESTROY_TIMEOUT)) {
            throw new CommandFailure("broker " + broker + " did not end after SIGKILL: pid="
                    + child(broker).pid());
        }
        startBroker(broker);
        awaitReady(broker, child(broker));
    }

    @Override
    public Path dataFolder(int broker) {
        return folder.resolve("broker-" + broker);
    }

    @Override
    public String evidence() {
        return children.values().stream()
                .filter(child -> !child.isAlive())
                .map(ChildProcess::tail)
                .collect(Collectors.joining(System.lineSeparator()));
    }

    @Override
    public void closeBrokers() {
        children.values().forEach(ChildProcess::terminate);
        children.forEach((broker, child) -> {
            if (!child.awaitEnd(CLOSE_TIMEOUT)) {
                throw new CommandFailure("broker " + broker + " did not close within " + CLOSE_TIMEOUT.toSeconds()
                        + "s after SIGTERM; " + child.tail());
            }
            child.awaitLine("closed broker=" + broker, Duration.ZERO);
        });
    }

    @Override
    public void destroy() {
        List<ChildProcess> ending;
        synchronized (this) {
            isDestroyed = true;
            ending = List.copyOf(all);
        }
        ending.forEach(ChildProcess::kill);
        ending.forEach(child -> child.awaitEnd(DESTROY_TIMEOUT));
    }

    @Override
    public void close() {
        children.values().forEach(ChildProcess::kill);
        children.values().forEach(child -> child.awaitEnd(DESTROY_TIMEOUT));
        place.close();
        destroy();
    }
}
