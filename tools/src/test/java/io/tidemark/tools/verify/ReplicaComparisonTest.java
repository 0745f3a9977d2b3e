package io.tidemark.tools.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The comparison must see every difference below the high watermark, and none above. */
class ReplicaComparisonTest {
    @TempDir
    Path root = Path.of("");

    // Replica 2 rolled elsewhere than replica 1: still the same log.
    @Test
    void shouldFindReplicasEqualThatRolledElsewhere() throws IOException {
        TestSegment.at(0).batch(0, "a").batch(0, "b", "c").write(root.resolve("1"), 0);
        TestSegment.at(0).batch(0, "a").write(root.resolve("2"), 0);
        TestSegment.at(1).batch(0, "b", "c").write(root.resolve("2"), 1);

        ReplicaComparison.Result result = compare(3);

        assertTrue(result.isEqual(), String.valueOf(result.difference()));
        assertEquals(2, result.batches());
        assertEquals(3, result.records());
    }

    // Above the high watermark replicas may differ.
    @Test
    void shouldNotLookAboveTheHighWatermark() throws IOException {
        TestSegment.at(0).batch(0, "a").batch(0, "only here").write(root.resolve("1"), 0);
        TestSegment.at(0).batch(0, "a").batch(1, "other").batch(1, "more").write(root.resolve("2"), 0);

        assertTrue(compare(1).isEqual());
    }

    // One byte of a value.
    @Test
    void shouldSeeADifferentValue() throws IOException {
        TestSegment.at(0).batch(0, "a").batch(0, "b").write(root.resolve("1"), 0);
        TestSegment.at(0).batch(0, "a").batch(0, "x").write(root.resolve("2"), 0);

        assertDifference(compare(2), "batches differ: file=");
    }

    // The epoch stands outside the checksum, so that only a comparison sees it.
    @Test
    void shouldSeeADifferentEpoch() throws IOException {
        TestSegment.at(0).batch(0, "a").write(root.resolve("1"), 0);
        TestSegment.at(0).batch(1, "a").write(root.resolve("2"), 0);

        assertDifference(compare(1), "batches differ: file=");
    }

    // The same records in other batches are not what the leader sent.
    @Test
    void shouldSeeOtherBatchBoundaries() throws IOException {
        TestSegment.at(0).batch(0, "a", "b").write(root.resolve("1"), 0);
        TestSegment.at(0).batch(0, "a").batch(0, "b").write(root.resolve("2"), 0);

        assertDifference(compare(2), "batches differ: file=");
    }

    // A replica that lost its end; and one that is empty.
    @Test
    void shouldSeeAReplicaThatEndsEarly() throws IOException {
        TestSegment.at(0).batch(0, "a").batch(0, "b").write(root.resolve("1"), 0);
        TestSegment.at(0).batch(0, "a").write(root.resolve("2"), 0);
        assertDifference(compare(2), "a replica ends below the high watermark: folder=");

        Files.delete(root.resolve("2").resolve("00000000000000000000.log"));
        assertDifference(compare(2), "a replica ends below the high watermark: folder=");
    }

    // Damage is a difference with its own text.
    @Test
    void shouldReportDamage() throws IOException {
        TestSegment.at(0).batch(0, "a").write(root.resolve("1"), 0);
        byte[] bad = TestSegment.at(0).batch(0, "a").toBytes();
        bad[bad.length - 1] ^= 1;
        Files.createDirectories(root.resolve("2"));
        Files.write(root.resolve("2").resolve("00000000000000000000.log"), bad);

        assertDifference(compare(1), "batch checksum mismatch: baseOffset=0");
    }

    private ReplicaComparison.Result compare(long toOffset) throws IOException {
        return ReplicaComparison.compare(List.of(root.resolve("1"), root.resolve("2")), toOffset);
    }

    private static void assertDifference(ReplicaComparison.Result result, String prefix) {
        assertFalse(result.isEqual());
        assertTrue(String.valueOf(result.difference()).startsWith(prefix), String.valueOf(result.difference()));
    }
}
