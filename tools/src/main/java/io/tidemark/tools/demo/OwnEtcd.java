package io.tidemark.tools.demo;

import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.Coordinations;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Listing;
import io.tidemark.coordination.ReadMode;
import io.tidemark.tools.system.ChildProcess;
import io.tidemark.tools.system.CommandFailure;
import io.tidemark.tools.system.Folders;
import io.tidemark.tools.system.Machine;
import io.tidemark.tools.system.Ports;
import io.tidemark.tools.system.Programs;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;

/** An etcd of the run's own, in a process of its own, with its data in the run's folder. */
final class OwnEtcd implements CoordinationPlace {
    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

    private final Path folder;
    private final RandomGenerator random;
    private final Narrator narrator;
    private String uri = "";

    /**
     * Prepares.
     *
     * @param folder the run's folder
     * @param random chooses ports
     * @param narrator tells what is started
     */
    OwnEtcd(Path folder, RandomGenerator random, Narrator narrator) {
        this.folder = folder;
        this.random = random;
        this.narrator = narrator;
    }

    @Override
    public void start(Starter starter) {
        Path program = Programs.find("etcd")
                .orElseThrow(() -> new CommandFailure("the program etcd is not on the PATH; install it (Debian: apt-get"
                        + " install etcd-server), or name an etcd of yours: --coordination etcd://HOST:PORT/PATH"));
        Folders.create(folder.resolve("logs"));
        String client = "http://127.0.0.1:" + Ports.findFree(random);
        String peer = "http://127.0.0.1:" + Ports.findFree(random);
        ChildProcess server = starter.start(new ChildProcess.Program(
                "etcd",
                List.of(
                        program.toString(),
                        "--data-dir",
                        folder.resolve("etcd").toString(),
                        "--listen-client-urls",
                        client,
                        "--advertise-client-urls",
                        client,
                        "--listen-peer-urls",
                        peer,
                        "--initial-advertise-peer-urls",
                        peer,
                        "--initial-cluster",
                        "default=" + peer),
                folder.resolve("logs").resolve("etcd.log")));
        String address = client.substring("http://".length());
        uri = "etcd://" + address + "/tidemark";
        awaitServing(server);
        narrator.tell("etcd", "%s, pid %d", address, server.pid());
    }

    private void awaitServing(ChildProcess server) {
        CoordinationConfig patient =
                CoordinationConfig.builder().operationTimeout(START_TIMEOUT).build();
        try (Coordination client = Coordinations.open(URI.create(uri), patient)) {
            CompletableFuture<Listing> answer =
                    client.list(Key.ROOT, ReadMode.LINEARIZABLE).toCompletableFuture();
            Machine.await(
                    "etcd to be ready",
                    START_TIMEOUT,
                    () -> {
                        if (!server.isAlive()) {
                            throw new CommandFailure("etcd ended before it was ready; " + server.tail());
                        }
                        return answer.isDone();
                    },
                    server::tail);
            if (answer.isCompletedExceptionally()) {
                throw new CommandFailure("etcd does not answer; " + server.tail());
            }
        }
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
