package io.tidemark.tools;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.tidemark.client.BrokerDescription;
import io.tidemark.client.ClusterDescription;
import io.tidemark.client.PartitionDescription;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/** Prints clusters as tables or as JSON. Stateless. */
final class ClusterPrinter {
    private static final String BROKER = "%6s  %-24s %-12s %11s  %-8s%n";
    private static final String PARTITION = "%-16s %-24s %9s  %6s  %-12s %-12s %-10s %-10s%n";

    private ClusterPrinter() {}

    /**
     * Prints a table of the brokers, and one of the partitions that need attention if there are any.
     *
     * @param out receives them
     * @param report the cluster
     */
    static void table(PrintStream out, ClusterReport report) {
        ClusterDescription cluster = report.cluster();
        out.println("cluster=" + cluster.clusterId() + " controller="
                + (cluster.controller() < 0 ? "none" : cluster.controller()) + " controllerEpoch="
                + cluster.controllerEpoch() + " topics=" + report.topics() + " partitions=" + report.partitions());
        out.printf(BROKER, "broker", "address", "rack", "incarnation", "status");
        for (BrokerDescription broker : cluster.brokers()) {
            out.printf(
                    BROKER,
                    broker.id(),
                    broker.host() + ":" + broker.port(),
                    broker.rack().isEmpty() ? "-" : broker.rack(),
                    broker.incarnation(),
                    status(broker));
        }
        StringBuilder counts = new StringBuilder();
        report.troubled()
                .forEach((concern, places) -> counts.append(counts.isEmpty() ? "" : " ")
                        .append(concern.text())
                        .append('=')
                        .append(places.size()));
        out.println(counts);
        if (report.troubled().values().stream().allMatch(List::isEmpty)) {
            return;
        }
        out.printf(PARTITION, "concern", "topic", "partition", "leader", "isr", "replicas", "adding", "removing");
        report.troubled().forEach((concern, places) -> places.forEach(place -> row(out, concern, place)));
    }

    private static void row(PrintStream out, ClusterReport.Concern concern, ClusterReport.Place place) {
        PartitionDescription partition = place.partition();
        out.printf(
                PARTITION,
                concern.text(),
                place.topic(),
                partition.partition(),
                partition.leader() < 0 ? "none" : partition.leader(),
                TopicPrinter.brokers(partition.isr()),
                TopicPrinter.brokers(partition.assignment()),
                TopicPrinter.brokers(partition.adding()),
                TopicPrinter.brokers(partition.removing()));
    }

    private static String status(BrokerDescription broker) {
        return broker.leaving() ? "leaving" : "running";
    }

    /**
     * Prints a JSON object.
     *
     * @param out receives it
     * @param report the cluster
     */
    static void json(PrintStream out, ClusterReport report) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            write(json, report);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        out.println(text);
    }

    private static void write(JsonGenerator json, ClusterReport report) throws IOException {
        ClusterDescription cluster = report.cluster();
        json.writeStartObject();
        json.writeStringField("clusterId", cluster.clusterId());
        json.writeNumberField("controller", cluster.controller());
        json.writeNumberField("controllerEpoch", cluster.controllerEpoch());
        json.writeNumberField("topics", report.topics());
        json.writeNumberField("partitions", report.partitions());
        json.writeArrayFieldStart("brokers");
        for (BrokerDescription broker : cluster.brokers()) {
            json.writeStartObject();
            json.writeNumberField("id", broker.id());
            json.writeStringField("host", broker.host());
            json.writeNumberField("port", broker.port());
            json.writeStringField("rack", broker.rack());
            json.writeNumberField("incarnation", broker.incarnation());
            json.writeStringField("status", status(broker));
            json.writeEndObject();
        }
        json.writeEndArray();
        for (Map.Entry<ClusterReport.Concern, List<ClusterReport.Place>> entry :
                report.troubled().entrySet()) {
            json.writeArrayFieldStart(entry.getKey().text());
            for (ClusterReport.Place place : entry.getValue()) {
                json.writeStartObject();
                json.writeStringField("topic", place.topic());
                TopicPrinter.writeFields(json, place.partition());
                json.writeEndObject();
            }
            json.writeEndArray();
        }
        json.writeEndObject();
    }
}
