package io.tidemark.tools.demo;

import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.Coordinations;
import io.tidemark.tools.Tidemark;
import io.tidemark.tools.system.ChildProcess;
import io.tidemark.tools.system.Folders;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A ZooKeeper server of the run's own, in a process of its own, with its data in the run's folder. */
final class OwnZooKeeper implements CoordinationPlace {
    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
    private static final List<String> JVM_OPTIONS =
            List.of("-Xms32m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-Dtidemark.log.level=WARN");

    private final Path folder;
    private final Narrator narrator;
    private String uri = "";

    /**
     * Prepares.
     *
     * @param folder the run's folder
     * @param narrator tells what is started
     */
    OwnZooKeeper(Path folder, Narrator narrator) {
        this.folder = folder;
        this.narrator = narrator;
    }

    @Override
    public void start(Starter starter) {
        Folders.create(folder.resolve("logs"));
        Path data = folder.resolve("zookeeper");
        Folders.create(data);
        ChildProcess server = starter.start(new ChildProcess.Command(
                "zookeeper",
                Tidemark.class,
                JVM_OPTIONS,
                List.of("zookeeper", "--data", data.toString()),
                folder.resolve("logs").resolve("zookeeper.log")));
        String address = server.awaitLine("ready zookeeper=", START_TIMEOUT);
        uri = "zk://" + address + "/tidemark";
        narrator.tell("zookeeper", "%s, pid %d", address, server.pid());
    }

    @Override
    public String uri() {
        return uri;
    }

    @Override
    public Map<String, String> security() {
        return Map.of();
    }

    @Override
    public Coordination open() {
        return Coordinations.open(URI.create(uri), CoordinationConfig.defaults());
    }

    /** Nothing to remove: the server and its folder end with the run. */
    @Override
    public void close() {}
}
