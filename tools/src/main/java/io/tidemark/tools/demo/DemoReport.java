package io.tidemark.tools.demo;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.tidemark.tools.system.CommandFailure;
import io.tidemark.tools.system.LocalFiles;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Shows the result of a run as a table and as JSON. Stateless. */
final class DemoReport {
    private DemoReport() {}

    /**
     * Prints the table.
     *
     * @param result the result
     * @param out receives it
     */
    static void printTable(DemoResult result, PrintStream out) {
        Map<String, String> rows = new LinkedHashMap<>();
        rows.put("sent", number(result.send().sent()));
        rows.put("acknowledged", number(result.send().acknowledged()));
        rows.put("read", number(result.reading().read()));
        rows.put("lost", number(result.reading().lost()));
        rows.put("duplicated", number(result.reading().duplicated()));
        rows.put("out of order", number(result.reading().outOfOrder()));
        rows.put(
                "replicas equal",
                (result.replicas().difference().isEmpty() ? "yes" : "NO") + ", "
                        + number(result.replicas().batches()) + " batches");
        rows.put("longest gap in acks", millis(result.send().maxGapMillis()) + ", by partition " + gaps(result));
        result.recovery().ifPresent(outage -> {
            rows.put("in flight at the kill", number(outage.inFlightAtKill()));
            rows.put(
                    "time to new leader",
                    outage.newLeaderMillis().isPresent()
                            ? millis(outage.newLeaderMillis().getAsLong())
                            : "none was needed");
            rows.put("time to full ISR", millis(outage.fullIsrMillis()) + " after the restart");
        });
        DemoResult.ClusterChanges cluster = result.cluster();
        rows.put("leader epoch", cluster.leaderEpochBefore() + " before, " + cluster.leaderEpochAfter() + " after");
        rows.put("ISR", cluster.isrShrinks() + " shrinks, " + cluster.isrGrows() + " grows");
        rows.put("truncations", number(cluster.truncations()));
        rows.put(
                "throughput",
                number(result.send().recordsPerSecond()) + " records/s, before the kill "
                        + number(result.send().recordsPerSecondBeforeKill()));
        rows.put(
                "commit latency",
                "p50 " + number(result.latency().p50Micros()) + " µs, p99 "
                        + number(result.latency().p99Micros()) + " µs (one outstanding, acks ALL)");
        rows.forEach((name, value) -> out.printf(Locale.ROOT, "%-22s %s%n", name, value));
        List<String> problems = result.problems();
        problems.forEach(problem -> out.println("FAILED: " + problem));
        out.println(problems.isEmpty() ? "result: OK" : "result: FAILED");
        out.flush();
    }

    private static String gaps(DemoResult result) {
        return String.join(
                " / ",
                result.send().gapMillis().stream().map(DemoReport::millis).toList());
    }

    private static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    private static String millis(long value) {
        return number(value) + " ms";
    }

    /**
     * Writes the JSON.
     *
     * @param result the result
     * @param file where to
     * @throws CommandFailure if it cannot be written
     */
    static void writeJson(DemoResult result, Path file) {
        LocalFiles.write(file, toJson(result), "result", "name another file with --json");
    }

    /**
     * Makes the JSON.
     *
     * @param result the result
     * @return one object, on several lines
     */
    static String toJson(DemoResult result) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            json.useDefaultPrettyPrinter();
            json.writeStartObject();
            for (Map.Entry<String, @Nullable Object> field : fields(result).entrySet()) {
                json.writeFieldName(field.getKey());
                writeValue(json, field.getValue());
            }
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text + "\n";
    }

    private static void writeValue(JsonGenerator json, @Nullable Object value) throws IOException {
        if (value == null) {
            json.writeNull();
        } else if (value instanceof List<?> list) {
            json.writeStartArray();
            for (Object element : list) {
                writeValue(json, element);
            }
            json.writeEndArray();
        } else if (value instanceof Boolean flag) {
            json.writeBoolean(flag);
        } else if (value instanceof Number number) {
            json.writeNumber(number.longValue());
        } else {
            json.writeString(value.toString());
        }
    }

    private static Map<String, @Nullable Object> fields(DemoResult result) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("kill", result.kill().name().toLowerCase(Locale.ROOT));
        fields.put("ok", result.problems().isEmpty());
        fields.put("problems", result.problems());
        fields.put("sent", result.send().sent());
        fields.put("acked", result.send().acknowledged());
        fields.put("read", result.reading().read());
        fields.put("lost", result.reading().lost());
        fields.put("duplicated", result.reading().duplicated());
        fields.put("outOfOrder", result.reading().outOfOrder());
        fields.put("misplaced", result.reading().misplaced());
        fields.put("foreign", result.reading().foreign());
        fields.put("maxGapMillis", result.send().maxGapMillis());
        fields.put("gapMillisByPartition", result.send().gapMillis());
        fields.put(
                "newLeaderMillis",
                result.recovery()
                        .map(Outage.Recovery::newLeaderMillis)
                        .map(DemoReport::boxed)
                        .orElse(null));
        fields.put(
                "fullIsrMillis",
                result.recovery().map(Outage.Recovery::fullIsrMillis).orElse(null));
        fields.put("recordsPerSecond", result.send().recordsPerSecond());
        fields.put("recordsPerSecondBeforeKill", result.send().recordsPerSecondBeforeKill());
        fields.put("replicasEqual", result.replicas().difference().isEmpty());
        fields.put("batches", result.replicas().batches());
        fields.put(
                "inFlightAtKill",
                result.recovery().map(Outage.Recovery::inFlightAtKill).orElse(null));
        fields.put("leaderEpochBefore", result.cluster().leaderEpochBefore());
        fields.put("leaderEpochAfter", result.cluster().leaderEpochAfter());
        fields.put(
                "controllerEpochBefore",
                result.recovery().map(Outage.Recovery::controllerEpochBefore).orElse(null));
        fields.put(
                "controllerEpochAfter",
                result.recovery().map(Outage.Recovery::controllerEpochAfter).orElse(null));
        fields.put("isrShrinks", result.cluster().isrShrinks());
        fields.put("isrGrows", result.cluster().isrGrows());
        fields.put("truncations", result.cluster().truncations());
        fields.put("commitLatencyP50Micros", result.latency().p50Micros());
        fields.put("commitLatencyP99Micros", result.latency().p99Micros());
        return fields;
    }

    private static @Nullable Long boxed(OptionalLong value) {
        return value.isPresent() ? value.getAsLong() : null;
    }
}
