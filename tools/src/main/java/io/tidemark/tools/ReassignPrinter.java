package io.tidemark.tools;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.tidemark.client.PartitionDescription;
import io.tidemark.client.PartitionMove;
import io.tidemark.client.PartitionOutcome;
import io.tidemark.client.TopicDescription;
import io.tidemark.tools.system.Terminal;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;

/** Prints moves of replicas, and what became of requests about partitions. Stateless. */
final class ReassignPrinter {
    private static final String ROW = "%-24s %9s  %6s  %-12s %-12s %-12s %-12s%n";

    private ReassignPrinter() {}

    /**
     * Prints a plan as the JSON that {@code start} and the inbox of the controller take.
     *
     * @param out receives it
     * @param moves the plan
     */
    static void plan(PrintStream out, List<PartitionMove> moves) {
        print(out, json -> {
            json.writeStartObject();
            json.writeNumberField("version", 1);
            json.writeArrayFieldStart("partitions");
            for (PartitionMove move : moves) {
                json.writeStartObject();
                json.writeStringField("topic", move.topic());
                json.writeNumberField("partition", move.partition());
                brokers(json, "replicas", move.replicas());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        });
    }

    /**
     * Prints a line for each partition: what was done to standard output, what was not to standard error.
     *
     * @param terminal where to print
     * @param done the word for what was done
     * @param outcomes what became of each
     * @return 0 if all are as they should be, else 1
     */
    static int outcomes(Terminal terminal, String done, List<PartitionOutcome> outcomes) {
        int exitCode = 0;
        for (PartitionOutcome outcome : outcomes) {
            if (!outcome.isMet()) {
                terminal.err().println(outcome.message());
                exitCode = 1;
            } else if (outcome.isChanged()) {
                terminal.out().println(done + " topic=" + outcome.topic() + " partition=" + outcome.partition());
            }
        }
        terminal.out()
                .println("partitions=" + outcomes.size() + " changed="
                        + outcomes.stream().filter(PartitionOutcome::isChanged).count() + " refused="
                        + outcomes.stream().filter(outcome -> !outcome.isMet()).count());
        return exitCode;
    }

    /**
     * Prints the moves under way.
     *
     * @param out receives them
     * @param topics the topics
     * @param isJson whether as JSON, else as a table
     */
    static void status(PrintStream out, List<TopicDescription> topics, boolean isJson) {
        if (isJson) {
            print(out, json -> {
                json.writeStartArray();
                for (TopicDescription topic : topics) {
                    for (PartitionDescription partition : topic.partitions()) {
                        if (partition.isReassigning()) {
                            json.writeStartObject();
                            json.writeStringField("topic", topic.name());
                            TopicPrinter.writeFields(json, partition);
                            brokers(json, "ready", ready(partition));
                            json.writeEndObject();
                        }
                    }
                }
                json.writeEndArray();
            });
            return;
        }
        int moves = 0;
        for (TopicDescription topic : topics) {
            for (PartitionDescription partition : topic.partitions()) {
                if (partition.isReassigning()) {
                    if (moves++ == 0) {
                        out.printf(ROW, "topic", "partition", "leader", "replicas", "adding", "ready", "removing");
                    }
                    out.printf(
                            ROW,
                            topic.name(),
                            partition.partition(),
                            partition.leader() < 0 ? "none" : partition.leader(),
                            TopicPrinter.brokers(partition.assignment()),
                            TopicPrinter.brokers(partition.adding()),
                            TopicPrinter.brokers(ready(partition)),
                            TopicPrinter.brokers(partition.removing()));
                }
            }
        }
        out.println("reassigning=" + moves);
    }

    /** The added replicas that are in sync. */
    private static List<Integer> ready(PartitionDescription partition) {
        return partition.adding().stream().filter(partition.isr()::contains).toList();
    }

    private static void brokers(JsonGenerator json, String name, List<Integer> brokers) throws IOException {
        json.writeArrayFieldStart(name);
        for (int broker : brokers) {
            json.writeNumber(broker);
        }
        json.writeEndArray();
    }

    /** What is written into the generator. */
    private interface Body {
        void write(JsonGenerator json) throws IOException;
    }

    private static void print(PrintStream out, Body body) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            body.write(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        out.println(text);
    }
}
