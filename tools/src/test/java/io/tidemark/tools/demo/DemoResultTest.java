package io.tidemark.tools.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** A run fails when anything is not as it must be, and says what. */
class DemoResultTest {
    private static final ReadLedger.Verdict CLEAN = new ReadLedger.Verdict(100, 0, 0, 0, 0, 0);
    private static final DemoResult.Replicas EQUAL = new DemoResult.Replicas(10, 100, Optional.empty());
    private static final DemoResult.ClusterChanges CHANGED = new DemoResult.ClusterChanges(0, 1, 3, 3, 1);
    private static final Outage.Recovery RECOVERED =
            new Outage.Recovery(List.of(1), 8_000, OptionalLong.of(700), 1_500, 1, 2);

    @Test
    void shouldPassWhenAllIsRight() {
        for (KillMode kill : KillMode.values()) {
            assertEquals(List.of(), result(kill, 100, CLEAN, CHANGED, EQUAL).problems(), kill.name());
        }
    }

    @Test
    void shouldFailWhenRecordsAreMissing() {
        assertProblem(result(KillMode.NONE, 99, CLEAN, CHANGED, EQUAL), "not all records were acknowledged: sent=100");
        for (ReadLedger.Verdict bad : List.of(
                new ReadLedger.Verdict(99, 1, 0, 0, 0, 0),
                new ReadLedger.Verdict(101, 0, 1, 0, 0, 0),
                new ReadLedger.Verdict(100, 0, 0, 1, 0, 0),
                new ReadLedger.Verdict(100, 0, 0, 0, 1, 0),
                new ReadLedger.Verdict(100, 0, 0, 0, 0, 1))) {
            assertProblem(
                    result(KillMode.NONE, 100, bad, CHANGED, new DemoResult.Replicas(1, bad.read(), Optional.empty())),
                    "what was read is not what was acknowledged: lost=" + bad.lost());
        }
    }

    @Test
    void shouldFailWhenTheFoldersAreNotWhatWasRead() {
        assertProblem(
                result(
                        KillMode.NONE,
                        100,
                        CLEAN,
                        CHANGED,
                        new DemoResult.Replicas(1, 1, Optional.of("batches differ"))),
                "the replicas differ: batches differ");
        assertProblem(
                result(KillMode.NONE, 100, CLEAN, CHANGED, new DemoResult.Replicas(9, 99, Optional.empty())),
                "the folders hold another number of records than was read: folders=99, read=100");
    }

    // A kill that changed nothing proves nothing.
    @Test
    void shouldFailWhenTheKillChangedNothing() {
        DemoResult.ClusterChanges sameEpoch = new DemoResult.ClusterChanges(1, 1, 3, 3, 0);
        assertProblem(
                result(KillMode.LEADER, 100, CLEAN, sameEpoch, EQUAL), "the kill did not change the leader epoch");
        assertEquals(
                List.of(),
                result(KillMode.FOLLOWER, 100, CLEAN, sameEpoch, EQUAL).problems());
        assertProblem(
                result(KillMode.FOLLOWER, 100, CLEAN, new DemoResult.ClusterChanges(1, 1, 0, 3, 0), EQUAL),
                "the kill did not make the ISR shrink and grow: isrShrinks=0");
        assertProblem(
                result(KillMode.FOLLOWER, 100, CLEAN, new DemoResult.ClusterChanges(1, 1, 3, 0, 0), EQUAL),
                "the kill did not make the ISR shrink and grow: isrShrinks=3, isrGrows=0");
        DemoResult sameController = withRecovery(
                KillMode.CONTROLLER, new Outage.Recovery(List.of(1), 8_000, OptionalLong.empty(), 1, 2, 2));
        assertProblem(sameController, "the kill did not change the controller epoch: before=2, after=2");
        DemoResult fewInFlight =
                withRecovery(KillMode.LEADER, new Outage.Recovery(List.of(1), 999, OptionalLong.of(1), 1, 1, 2));
        assertProblem(fewInFlight, "too few records were in flight at the kill: inFlightAtKill=999, min=1000");
    }

    // The keys that scripts read.
    @Test
    void shouldWriteAllKeys() {
        String json = DemoReport.toJson(result(KillMode.LEADER, 100, CLEAN, CHANGED, EQUAL));
        for (String field : List.of(
                "\"ok\" : true",
                "\"sent\" : 100",
                "\"acked\" : 100",
                "\"read\" : 100",
                "\"lost\" : 0",
                "\"duplicated\" : 0",
                "\"outOfOrder\" : 0",
                "\"maxGapMillis\" : 640",
                "\"gapMillisByPartition\" : [ 640, 3, 4 ]",
                "\"newLeaderMillis\" : 700",
                "\"fullIsrMillis\" : 1500",
                "\"recordsPerSecond\" : 5000",
                "\"replicasEqual\" : true",
                "\"inFlightAtKill\" : 8000",
                "\"leaderEpochBefore\" : 0",
                "\"leaderEpochAfter\" : 1",
                "\"isrShrinks\" : 3",
                "\"isrGrows\" : 3",
                "\"truncations\" : 1",
                "\"commitLatencyP50Micros\" : 150",
                "\"commitLatencyP99Micros\" : 290")) {
            assertTrue(json.contains(field), field + " in " + json);
        }
        String none = DemoReport.toJson(new DemoResult(
                KillMode.NONE, sends(100), CLEAN, Optional.empty(), CHANGED, EQUAL, new CommitLatency(1, 2)));
        assertTrue(none.contains("\"newLeaderMillis\" : null"), none);
    }

    @Test
    void shouldPrintATableThatEndsWithTheVerdict() {
        String good = table(result(KillMode.LEADER, 100, CLEAN, CHANGED, EQUAL));
        assertTrue(good.contains("lost                   0\n"), good);
        assertTrue(good.contains("time to new leader     700 ms\n"), good);
        assertTrue(good.endsWith("result: OK\n"), good);
        String bad = table(result(KillMode.LEADER, 99, CLEAN, CHANGED, EQUAL));
        assertTrue(bad.contains("FAILED: not all records were acknowledged"), bad);
        assertTrue(bad.endsWith("result: FAILED\n"), bad);
    }

    private static String table(DemoResult result) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        DemoReport.printTable(result, new PrintStream(out, true, StandardCharsets.UTF_8));
        return out.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n");
    }

    private static void assertProblem(DemoResult result, String prefix) {
        assertEquals(1, result.problems().size(), result.problems().toString());
        assertTrue(
                result.problems().get(0).startsWith(prefix), result.problems().toString());
    }

    private static DemoResult.Sends sends(int acknowledged) {
        return new DemoResult.Sends(100, acknowledged, Optional.empty(), 640, List.of(640L, 3L, 4L), 5_000, 9_000);
    }

    private static DemoResult withRecovery(KillMode kill, Outage.Recovery recovery) {
        return new DemoResult(
                kill, sends(100), CLEAN, Optional.of(recovery), CHANGED, EQUAL, new CommitLatency(150, 290));
    }

    private static DemoResult result(
            KillMode kill,
            int acknowledged,
            ReadLedger.Verdict reading,
            DemoResult.ClusterChanges changes,
            DemoResult.Replicas replicas) {
        return new DemoResult(
                kill,
                sends(acknowledged),
                reading,
                kill == KillMode.NONE ? Optional.empty() : Optional.of(RECOVERED),
                changes,
                replicas,
                new CommitLatency(150, 290));
    }
}
