package io.tidemark.tools;

import io.tidemark.client.Client;
import io.tidemark.client.ConsumedRecord;
import io.tidemark.client.Consumer;
import io.tidemark.tools.system.Machine;
import io.tidemark.tools.system.Terminal;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tidemark consume}: prints the records of a topic. */
@Command(
        name = "consume",
        description = {
            "Prints the value of each committed record of a topic on a line of its own.",
            "Goes on until --max records were printed, none came for --timeout, or Ctrl-C."
        })
final class ConsumeCommand implements Callable<Integer> {
    private static final Duration POLL_TIMEOUT = Duration.ofMillis(200);
    private static final String BEGINNING = "beginning";
    private static final String END = "end";

    private final Terminal terminal;

    @Spec
    private @Nullable CommandSpec spec;

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Option(names = "--topic", paramLabel = "NAME", required = true, description = "The topic to read.")
    private String topic = "";

    @Option(names = "--partition", paramLabel = "N", description = "The partition to read (default: all).")
    private @Nullable Integer partition;

    @Option(
            names = "--from",
            paramLabel = "beginning|end|OFFSET",
            defaultValue = BEGINNING,
            description = "Where to begin; an offset needs --partition (default: ${DEFAULT-VALUE}).")
    private String from = BEGINNING;

    @Option(names = "--max", paramLabel = "N", description = "Stop after this many records.")
    private long max = Long.MAX_VALUE;

    @Option(names = "--timeout", paramLabel = "SECONDS", description = "Stop when no record came for so long.")
    private @Nullable Double timeoutSeconds;

    @Option(
            names = "--with-offsets",
            description = "Print partition, offset, timestamp and key before each value, separated by tabs.")
    private boolean withOffsets;

    /**
     * Prepares the command.
     *
     * @param terminal where it writes
     */
    ConsumeCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        checkFrom();
        try (Client client = cluster.connect();
                Consumer consumer = client.consumer()) {
            if (partition == null) {
                consumer.assign(topic);
            } else {
                consumer.assign(topic, partition);
            }
            seek(consumer);
            printRecords(consumer);
        }
        return 0;
    }

    private void checkFrom() {
        if (from.equals(BEGINNING) || from.equals(END)) {
            return;
        }
        boolean isOffset =
                !from.isEmpty() && from.length() <= 18 && from.chars().allMatch(Character::isDigit);
        if (!isOffset) {
            throw misuse("--from must be beginning, end or an offset: from=" + from);
        }
        if (partition == null) {
            throw misuse("an offset is one of a partition: from=" + from + "; name it with --partition");
        }
    }

    private RuntimeException misuse(String message) {
        return spec == null
                ? new IllegalArgumentException(message)
                : new ParameterException(spec.commandLine(), message);
    }

    private void seek(Consumer consumer) {
        if (from.equals(BEGINNING)) {
            consumer.seekToBeginning();
        } else if (from.equals(END)) {
            consumer.seekToEnd();
        } else if (partition != null) {
            consumer.seek(topic, partition, Long.parseLong(from));
        }
    }

    private void printRecords(Consumer consumer) {
        long printed = 0;
        long lastRecordNs = Machine.nanoTime();
        while (printed < max && !terminal.out().checkError()) {
            for (ConsumedRecord record : consumer.poll(POLL_TIMEOUT)) {
                if (printed == max) {
                    break;
                }
                print(terminal.out(), record);
                printed++;
                lastRecordNs = Machine.nanoTime();
            }
            double idleSeconds = (Machine.nanoTime() - lastRecordNs) / (double) TimeUnit.SECONDS.toNanos(1);
            if (timeoutSeconds != null && idleSeconds >= timeoutSeconds) {
                return;
            }
        }
    }

    private void print(PrintStream out, ConsumedRecord record) {
        if (withOffsets) {
            out.print(record.partition() + "\t" + record.offset() + "\t" + record.timestamp() + "\t"
                    + text(record.key()) + "\t");
        }
        out.println(text(record.value()));
    }

    private static String text(byte @Nullable [] bytes) {
        return bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8);
    }
}
