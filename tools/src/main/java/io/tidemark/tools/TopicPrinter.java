package io.tidemark.tools;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.tidemark.client.PartitionDescription;
import io.tidemark.client.TopicDescription;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Prints topics as a table or as JSON. Stateless. */
final class TopicPrinter {
    private static final String ROW = "%9s  %6s  %6s  %-12s %-12s %-12s %6s%n";

    private TopicPrinter() {}

    /**
     * Prints a table.
     *
     * @param out receives it
     * @param topic the topic
     */
    static void table(PrintStream out, TopicDescription topic) {
        out.println("topic=" + topic.name() + " topicId=" + topic.topicId() + " partitions="
                + topic.partitions().size()
                + (topic.settings().isEmpty() ? "" : " config=" + topic.settings()));
        out.printf(ROW, "partition", "leader", "epoch", "isr", "elr", "replicas", "minIsr");
        for (PartitionDescription partition : topic.partitions()) {
            out.printf(
                    ROW,
                    partition.partition(),
                    partition.leader() < 0 ? "none" : partition.leader(),
                    partition.leaderEpoch(),
                    brokers(partition.isr()),
                    brokers(partition.elr()),
                    brokers(partition.assignment()),
                    partition.minIsr());
        }
    }

    /**
     * Brokers for a column of a table.
     *
     * @param brokers ids
     * @return the ids with commas between them, a dash for none
     */
    static String brokers(List<Integer> brokers) {
        return brokers.isEmpty()
                ? "-"
                : String.join(",", brokers.stream().map(String::valueOf).toList());
    }

    /**
     * Prints names as a JSON array.
     *
     * @param out receives it
     * @param names the names
     */
    static void json(PrintStream out, List<String> names) {
        print(out, json -> {
            json.writeStartArray();
            for (String name : names) {
                json.writeString(name);
            }
            json.writeEndArray();
        });
    }

    /**
     * Prints a topic as a JSON object.
     *
     * @param out receives it
     * @param topic the topic
     */
    static void json(PrintStream out, TopicDescription topic) {
        print(out, json -> {
            json.writeStartObject();
            json.writeStringField("name", topic.name());
            json.writeStringField("topicId", topic.topicId().toString());
            json.writeObjectFieldStart("config");
            for (Map.Entry<String, Long> setting : new TreeMap<>(topic.settings()).entrySet()) {
                json.writeNumberField(setting.getKey(), setting.getValue());
            }
            json.writeEndObject();
            json.writeArrayFieldStart("partitions");
            for (PartitionDescription partition : topic.partitions()) {
                json.writeStartObject();
                writeFields(json, partition);
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        });
    }

    /**
     * Writes the fields of a partition into an open JSON object.
     *
     * @param json receives them
     * @param partition the partition
     * @throws IOException if the generator cannot write
     */
    static void writeFields(JsonGenerator json, PartitionDescription partition) throws IOException {
        json.writeNumberField("partition", partition.partition());
        json.writeNumberField("leader", partition.leader());
        json.writeNumberField("leaderIncarnation", partition.leaderIncarnation());
        json.writeNumberField("leaderEpoch", partition.leaderEpoch());
        json.writeNumberField("partitionEpoch", partition.partitionEpoch());
        writeBrokers(json, "isr", partition.isr());
        writeBrokers(json, "elr", partition.elr());
        writeBrokers(json, "assignment", partition.assignment());
        json.writeNumberField("minIsr", partition.minIsr());
        writeBrokers(json, "adding", partition.adding());
        writeBrokers(json, "removing", partition.removing());
    }

    private static void writeBrokers(JsonGenerator json, String name, List<Integer> brokers) throws IOException {
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
