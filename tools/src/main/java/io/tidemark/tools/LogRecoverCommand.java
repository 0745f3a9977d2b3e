package io.tidemark.tools;

import io.tidemark.log.LogConfig;
import io.tidemark.log.LogStore;
import io.tidemark.log.LogStoreConfig;
import io.tidemark.log.RecoveryListener;
import io.tidemark.log.RecoveryReport;
import io.tidemark.log.StorageException;
import io.tidemark.log.TopicPartition;
import io.tidemark.tools.system.CommandFailure;
import io.tidemark.tools.system.Terminal;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tidemark log recover}: does before a start what a start would do, and says what that is. */
@Command(
        name = "recover",
        description = {
            "Recovers the logs of a data folder that were not cleanly closed: checks them, cuts torn ends, rebuilds",
            "indexes. Damage below what was forced to the disk is reported and left alone. No broker may be running.",
            "Exit code 1 when any log is damaged or cannot be read."
        })
final class LogRecoverCommand implements Callable<Integer> {
    private static final String THREADS = "4";
    private static final int THREADS_MAX = 64;

    private final Terminal terminal;

    @Parameters(paramLabel = "DIR", description = "A broker's data folder, or the folder of a log used alone.")
    private Path path = Path.of("");

    @Option(names = "--dry-run", description = "Say what would be done, and change nothing.")
    private boolean dryRun;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = THREADS,
            description = "How many logs are recovered at once, 1 to 64 (default: ${DEFAULT-VALUE}).")
    private int threads;

    /**
     * Prepares the command.
     *
     * @param terminal where it writes
     */
    LogRecoverCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (threads < 1 || threads > THREADS_MAX) {
            throw new CommandFailure("--threads must lie between 1 and " + THREADS_MAX + ": threads=" + threads);
        }
        if (!path.resolve("meta.properties").toFile().isFile()) {
            throw new CommandFailure("no data folder: path=" + path
                    + ", it has no meta.properties; give the folder that holds the" + " folders of the partitions");
        }
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            return dryRun ? look(executor) : recover(executor);
        } finally {
            executor.shutdown();
        }
    }

    private int look(ExecutorService executor) {
        LogStore store = LogStore.openDryRun(path);
        try {
            return run(store, executor);
        } finally {
            store.abandon();
        }
    }

    private int recover(ExecutorService executor) {
        try (LogStore store = LogStore.open(path, LogStoreConfig.defaults())) {
            return run(store, executor);
        }
    }

    private int run(LogStore store, ExecutorService executor) {
        int logs = store.existing().size();
        Printer printer = new Printer(terminal.out(), dryRun ? "would be recovered" : "recovered");
        int damaged = store.recoverAll(LogConfig.defaults(), executor, printer);
        terminal.out()
                .println("total logs=" + logs + " clean=" + (logs - printer.total) + " recovered="
                        + (printer.total - damaged) + " damaged=" + damaged + (dryRun ? " (dry run)" : ""));
        return damaged == 0 ? 0 : 1;
    }

    /** Prints a line for each log. Called by the executor's threads, by one at a time. */
    private static final class Printer implements RecoveryListener {
        private final PrintStream out;
        private final String verb;
        private volatile int total;

        Printer(PrintStream out, String verb) {
            this.out = out;
            this.verb = verb;
        }

        @Override
        public void recovered(TopicPartition partition, RecoveryReport report, long logEndOffset, int done, int all) {
            total = all;
            out.println("[" + done + "/" + all + "] " + partition + " " + verb + ": endOffset=" + logEndOffset
                    + " goodBytes=" + report.scannedBytes() + " cutBytes=" + report.cutBytes() + " droppedSegments="
                    + report.droppedSegments());
        }

        @Override
        public void failed(TopicPartition partition, StorageException failure, int done, int all) {
            total = all;
            out.println("[" + done + "/" + all + "] " + partition + " DAMAGED: " + failure.getMessage());
        }
    }
}
