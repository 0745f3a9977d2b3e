package io.tidemark.tools.demo;

import io.tidemark.client.Client;
import io.tidemark.coordination.Coordination;
import io.tidemark.tools.system.CommandFailure;
import io.tidemark.tools.system.Shutdown;
import io.tidemark.tools.system.Terminal;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;

/**
 * One run of the demo, on the calling thread: start, send, kill, recover, read back, compare. Whatever happens, no
 * process and no folder is left, unless the folders are to be kept.
 */
public final class Demo {
    private final DemoOptions options;
    private final Terminal terminal;
    private final Narrator narrator;
    private final RandomGenerator random;
    private final String runId;

    /**
     * Prepares a run.
     *
     * @param options what to do; without problems
     * @param terminal where to tell
     * @param random chooses the id of the run and ports
     */
    public Demo(DemoOptions options, Terminal terminal, RandomGenerator random) {
        this.options = options;
        this.terminal = terminal;
        this.narrator = new Narrator(terminal);
        this.random = random;
        this.runId = String.format("%08x", random.nextInt());
    }

    /**
     * Runs.
     *
     * @return true if all is right
     * @throws CommandFailure if a step could not be done
     */
    public boolean run() {
        DemoInput input = DemoInput.read(runId, options.input(), options.recordSize());
        RunFolder folder = options.keep().isPresent()
                ? RunFolder.kept(options.keep().get().toAbsolutePath())
                : RunFolder.temporary();
        Cluster cluster = openCluster(folder.path());
        AtomicBoolean isCleaned = new AtomicBoolean();
        Shutdown hook = Shutdown.onSignal(() -> {
            narrator.fallSilent();
            cluster.destroy();
            clean(isCleaned, cluster, folder::delete);
        });
        try {
            narrator.tell("demo", "run %s, folder %s, input %s", runId, folder.path(), options.input());
            DemoResult result = run(cluster, input, folder);
            DemoReport.printTable(result, terminal.out());
            options.json().ifPresent(file -> DemoReport.writeJson(result, file));
            return result.problems().isEmpty();
        } finally {
            clean(isCleaned, cluster, folder::close);
            hook.close();
        }
    }

    /** Ends what was started, once: from this thread or from that of a signal. */
    private static void clean(AtomicBoolean isCleaned, Cluster cluster, Runnable folderCleaner) {
        if (isCleaned.compareAndSet(false, true)) {
            try {
                cluster.close();
            } finally {
                folderCleaner.run();
            }
        }
    }

    private Cluster openCluster(Path folder) {
        if (options.coordination().equals("local")) {
            return new LocalCluster(folder, options.brokers(), random, narrator);
        }
        CoordinationPlace place = switch (options.coordination()) {
            case "zk" -> new OwnZooKeeper(folder, narrator);
            case "etcd" -> new OwnEtcd(folder, random, narrator);
            default -> new UserCoordination(URI.create(options.coordination()), options.security(), runId);
        };
        return new ProcessCluster(folder, options.brokers(), place, random, narrator, List.of());
    }

    private DemoResult run(Cluster cluster, DemoInput input, RunFolder folder) {
        cluster.start();
        folder.onUsed();
        try (Coordination coordination = cluster.openCoordination();
                ClusterWatch watch = ClusterWatch.open(coordination, DemoRun.TOPIC)) {
            DemoRun run = new DemoRun(options, cluster, watch, input, narrator);
            try (Client client = Client.connect(cluster.addresses())) {
                run.createTopics(client);
                run.sendAll(client);
                run.readBack(client);
                run.measureLatency(client);
            }
            cluster.closeBrokers();
            return run.finish();
        }
    }
}
