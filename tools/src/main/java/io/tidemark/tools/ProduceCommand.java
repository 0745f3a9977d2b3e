package io.tidemark.tools;

import io.tidemark.client.Acks;
import io.tidemark.client.Client;
import io.tidemark.client.Producer;
import io.tidemark.client.ProducerConfig;
import io.tidemark.client.RecordPosition;
import io.tidemark.client.SendCallback;
import io.tidemark.client.TidemarkException;
import io.tidemark.tools.system.CommandFailure;
import io.tidemark.tools.system.Terminal;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tidemark produce}: sends the lines of standard input. */
@Command(
        name = "produce",
        description = {
            "Sends each line of standard input as a record, and tells on standard error how many were acknowledged.",
            "Stops at the first line that fails."
        })
final class ProduceCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Option(names = "--topic", paramLabel = "NAME", required = true, description = "The topic to send to.")
    private String topic = "";

    @Option(
            names = "--partition",
            paramLabel = "N",
            description = "The partition to send to (default: by key, or in turn if there is no key).")
    private @Nullable Integer partition;

    @Option(
            names = "--key-separator",
            paramLabel = "TEXT",
            description = "What stands before this text in a line is the record's key (default: no keys).")
    private @Nullable String keySeparator;

    @Option(
            names = "--acks",
            paramLabel = "all|leader|none",
            defaultValue = "all",
            description = "Who must have a record before it counts (default: ${DEFAULT-VALUE}).")
    private Acks acks = Acks.ALL;

    /**
     * Prepares the command.
     *
     * @param terminal where it reads and writes
     */
    ProduceCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /** Counts the outcomes; called by the client's thread. */
    private static final class Outcomes implements SendCallback {
        private final AtomicLong acknowledged = new AtomicLong();
        private final AtomicReference<@Nullable TidemarkException> failure = new AtomicReference<>();

        @Override
        public void onDone(@Nullable RecordPosition position, @Nullable TidemarkException failed) {
            if (failed == null) {
                acknowledged.incrementAndGet();
            } else {
                failure.compareAndSet(null, failed);
            }
        }
    }

    @Override
    public Integer call() throws IOException {
        Outcomes outcomes = new Outcomes();
        long sent = 0;
        try (Client client = cluster.connect();
                Producer producer =
                        client.producer(ProducerConfig.builder().acks(acks).build());
                BufferedReader lines =
                        new BufferedReader(new InputStreamReader(terminal.in(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (outcomes.failure.get() != null) {
                    break;
                }
                send(producer, line, sent + 1, outcomes);
                sent++;
            }
            producer.flush();
        }
        terminal.err().println("sent " + sent + ", acknowledged " + outcomes.acknowledged.get());
        TidemarkException failure = outcomes.failure.get();
        if (failure != null) {
            throw failure;
        }
        return 0;
    }

    private void send(Producer producer, String line, long number, SendCallback callback) {
        byte[] key = null;
        String value = line;
        if (keySeparator != null) {
            int at = line.indexOf(keySeparator);
            if (at < 0) {
                throw new CommandFailure("a line has no key separator: line=" + number + ", keySeparator="
                        + keySeparator + "; correct the input or leave --key-separator out");
            }
            key = line.substring(0, at).getBytes(StandardCharsets.UTF_8);
            value = line.substring(at + keySeparator.length());
        }
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        if (partition == null) {
            producer.send(topic, key, bytes, callback);
        } else {
            producer.send(topic, partition, key, bytes, callback);
        }
    }
}
