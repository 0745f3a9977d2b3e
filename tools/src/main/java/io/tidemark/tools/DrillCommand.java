package io.tidemark.tools;

import io.tidemark.tools.demo.FailoverDrill;
import io.tidemark.tools.system.Machine;
import io.tidemark.tools.system.Terminal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tidemark drill}: measures fail-overs. */
@Command(
        name = "drill",
        description = {
            "Kills leaders again and again, and measures.",
            "Starts three brokers, each in a process of its own, kills the leader of partitions (every second time the"
                    + " one that is the controller too), and measures how long it takes until the coordination service"
                    + " shows another leader of each. Exits with 0 only if 95 of 100 kills stay within the limit."
        })
final class DrillCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--coordination",
            paramLabel = "zk|etcd",
            defaultValue = "zk",
            description = "A ZooKeeper or an etcd server of our own (default: ${DEFAULT-VALUE}).")
    private String coordination = "zk";

    @Option(
            names = "--kills",
            paramLabel = "N",
            defaultValue = "50",
            description = "How many kills (default: ${DEFAULT-VALUE}).")
    private int kills;

    @Option(
            names = "--partitions",
            paramLabel = "N",
            defaultValue = "3",
            description = "How many partitions (default: ${DEFAULT-VALUE}).")
    private int partitions;

    @Option(
            names = "--session-ttl",
            paramLabel = "SECONDS",
            defaultValue = "30",
            description = "Time to live of the brokers' sessions (default: ${DEFAULT-VALUE}).")
    private int sessionTtlSeconds;

    @Option(
            names = "--limit-ms",
            paramLabel = "MS",
            defaultValue = "250",
            description = "What 95 of 100 kills may take at most (default: ${DEFAULT-VALUE}).")
    private int limitMs;

    /**
     * Prepares the command.
     *
     * @param terminal where it writes
     */
    DrillCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        boolean isKnown = List.of("zk", "etcd").contains(coordination);
        boolean isInRange = kills >= 1
                && partitions >= 1
                && partitions <= 10_000
                && sessionTtlSeconds >= 1
                && sessionTtlSeconds <= 600
                && limitMs >= 1;
        if ((!isKnown || !isInRange) && spec != null) {
            throw new ParameterException(
                    spec.commandLine(),
                    "the values are out of range: coordination=" + coordination + " (zk or etcd), kills=" + kills
                            + " (1 or more), partitions=" + partitions + " (1 to 10000), sessionTtl="
                            + sessionTtlSeconds + " (1 to 600), limitMs=" + limitMs + " (1 or more)");
        }
        FailoverDrill.Options options = new FailoverDrill.Options(
                coordination.equals("etcd"),
                partitions,
                kills,
                Duration.ofSeconds(sessionTtlSeconds),
                Duration.ofMillis(limitMs));
        boolean isGood = new FailoverDrill(
                        options,
                        terminal,
                        RandomGeneratorFactory.of("L64X128MixRandom").create(Machine.nanoTime()))
                .run();
        return isGood ? 0 : 1;
    }
}
