package io.tidemark.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.client.BrokerDescription;
import io.tidemark.client.ClusterDescription;
import io.tidemark.client.PartitionDescription;
import io.tidemark.client.TopicDescription;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Brokers 1 and 2 are live, 3 is not. */
class ClusterReportTest {
    private static final ClusterDescription CLUSTER = new ClusterDescription(
            "c",
            2,
            7,
            List.of(
                    new BrokerDescription(1, 11, "h1", 1001, "left", false),
                    new BrokerDescription(2, 21, "h2", 1002, "", true)));

    // Each concern finds its partitions, and a healthy one is in none.
    @Test
    void shouldFindThePartitionsThatNeedAttention() {
        ClusterReport report = report();

        Map<ClusterReport.Concern, List<Integer>> found = report.troubled().entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey,
                        entry -> entry.getValue().stream()
                                .map(place -> place.partition().partition())
                                .toList()));
        assertEquals(
                Map.of(
                        ClusterReport.Concern.OFFLINE, List.of(1, 2, 3),
                        ClusterReport.Concern.BELOW_MIN_ISR, List.of(4),
                        ClusterReport.Concern.UNDER_REPLICATED, List.of(1, 4),
                        ClusterReport.Concern.REASSIGNING, List.of(5)),
                found);
        assertEquals(6, report.partitions());
    }

    @Test
    void shouldPrintBrokersAndConcerns() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ClusterPrinter.table(new PrintStream(bytes, true, StandardCharsets.UTF_8), report());
        List<String> lines = bytes.toString(StandardCharsets.UTF_8).lines().toList();

        assertEquals("cluster=c controller=2 controllerEpoch=7 topics=1 partitions=6", lines.get(0));
        assertTrue(lines.get(2).matches(" +1  h1:1001 +left +11  running *"), lines.get(2));
        assertTrue(lines.get(3).matches(" +2  h2:1002 +- +21  leaving *"), lines.get(3));
        assertEquals("offline=3 belowMinIsr=1 underReplicated=2 reassigning=1", lines.get(4));
        assertTrue(lines.get(6).matches("offline +t +1 +none +1 +1,2 +- +- *"), lines.get(6));
        assertTrue(lines.get(12).matches("reassigning +t +5 +1 +1,2 +1,2 +3 +2 *"), lines.get(12));
        assertEquals(13, lines.size());
    }

    @Test
    void shouldPrintConcernsAsJson() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ClusterPrinter.json(new PrintStream(bytes, true, StandardCharsets.UTF_8), report());
        String json = bytes.toString(StandardCharsets.UTF_8);

        assertTrue(json.contains("\"belowMinIsr\":[{\"topic\":\"t\",\"partition\":4,\"leader\":1,"), json);
        assertTrue(json.contains("\"adding\":[3],\"removing\":[2]}]}"), json);
        assertTrue(json.contains("\"rack\":\"left\",\"incarnation\":11,\"status\":\"running\"}"), json);
    }

    private static ClusterReport report() {
        return ClusterReport.of(
                CLUSTER,
                List.of(new TopicDescription(
                        "t",
                        new UUID(1, 2),
                        List.of(
                                partition(0, 1, 11, List.of(1, 2)),
                                partition(1, -1, -1, List.of(1)),
                                partition(2, 3, 31, List.of(3, 1)),
                                // The process that led is gone, another life of its broker is there.
                                partition(3, 1, 10, List.of(1, 2)),
                                new PartitionDescription(
                                        4, 1, 11, 0, 0, List.of(1), List.of(), List.of(1, 2), 2, List.of(), List.of()),
                                new PartitionDescription(
                                        5,
                                        1,
                                        11,
                                        0,
                                        0,
                                        List.of(1, 2),
                                        List.of(),
                                        List.of(1, 2),
                                        1,
                                        List.of(3),
                                        List.of(2))))));
    }

    private static PartitionDescription partition(int number, int leader, long incarnation, List<Integer> isr) {
        return new PartitionDescription(
                number, leader, incarnation, 0, 0, isr, List.of(), List.of(1, 2), 1, List.of(), List.of());
    }
}
