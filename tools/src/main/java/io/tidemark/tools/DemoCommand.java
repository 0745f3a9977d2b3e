package io.tidemark.tools;

import io.tidemark.tools.demo.Demo;
import io.tidemark.tools.demo.DemoOptions;
import io.tidemark.tools.demo.KillMode;
import io.tidemark.tools.system.CommandFailure;
import io.tidemark.tools.system.LocalFiles;
import io.tidemark.tools.system.Machine;
import io.tidemark.tools.system.Terminal;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tidemark demo}: the demo that checks itself. */
@Command(
        name = "demo",
        description = {
            "Kills a broker under load and accounts for every record.",
            "Starts brokers, sends records with acks ALL, kills a broker half-way, starts it again, reads everything"
                    + " back, and compares the brokers' folders batch by batch. Exits with 0 only if nothing"
                    + " acknowledged was lost, duplicated or out of order, the replicas are equal, and the kill"
                    + " caused the change that it must cause."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  tidemark demo",
            "  tidemark demo --kill all --keep /tmp/folders --json result.json",
            "  tidemark demo --coordination etcd",
            "  tidemark demo --coordination zk://localhost:2181/test --record-size 100"
        })
final class DemoCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--brokers",
            paramLabel = "N",
            defaultValue = "3",
            description = "How many brokers (default: ${DEFAULT-VALUE}).")
    private int brokers;

    @Option(
            names = "--coordination",
            paramLabel = "zk|etcd|local|URI",
            defaultValue = "zk",
            description = {
                "zk: a ZooKeeper server of our own, and each broker in a process of its own (default).",
                "etcd: the same with an etcd of our own; the program etcd has to be installed.",
                "local: all brokers in this process, around a store in memory.",
                "URI: a fresh path in your own service, removed afterwards; each broker in a process of its own."
            })
    private String coordination = "zk";

    @Mixin
    private SecurityOptions security = new SecurityOptions();

    @Option(
            names = "--input",
            paramLabel = "FILE",
            description = "The lines to send, repeated as needed (default: lib/classlist of the running JDK).")
    private @Nullable Path input;

    @Option(
            names = "--records",
            paramLabel = "N",
            defaultValue = "200000",
            description = "How many records to send (default: ${DEFAULT-VALUE}).")
    private int records;

    @Option(
            names = "--record-size",
            paramLabel = "BYTES",
            description = "Pad or cut each value to this size (default: as long as its line).")
    private int recordSize;

    @Option(
            names = "--kill",
            paramLabel = "WHO",
            defaultValue = "leader",
            description = "Who is killed half-way: leader (of partition 0), follower, controller, all, or none"
                    + " (default: ${DEFAULT-VALUE}).")
    private KillMode kill = KillMode.LEADER;

    @Option(names = "--keep", paramLabel = "DIR", description = "Leave the folders here; a new or empty folder.")
    private @Nullable Path keep;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the result here too.")
    private @Nullable Path json;

    /**
     * Prepares the command.
     *
     * @param terminal where it writes
     */
    DemoCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        DemoOptions options = new DemoOptions(
                brokers,
                coordination,
                security.settings(),
                input == null ? defaultInput() : input,
                records,
                recordSize,
                kill,
                Optional.ofNullable(keep),
                Optional.ofNullable(json));
        List<String> problems = options.problems();
        if (!problems.isEmpty() && spec != null) {
            throw new ParameterException(spec.commandLine(), String.join("; ", problems));
        }
        requireWritable(options);
        long seed = Machine.nanoTime();
        boolean isGood = new Demo(
                        options,
                        terminal,
                        RandomGeneratorFactory.of("L64X128MixRandom").create(seed))
                .run();
        return isGood ? 0 : 1;
    }

    private static Path defaultInput() {
        Path classes = Path.of(System.getProperty("java.home"), "lib", "classlist");
        if (!LocalFiles.isReadable(classes)) {
            throw new CommandFailure(
                    "this Java has no list of classes to send: file=" + classes + "; name a text file with --input");
        }
        return classes;
    }

    /** Better now than after a minute of work. */
    private static void requireWritable(DemoOptions options) {
        options.json().ifPresent(file -> {
            if (!LocalFiles.isWritable(file)) {
                throw new CommandFailure(
                        "cannot write the result: file=" + file + "; name a file in a writable folder with --json");
            }
        });
    }
}
