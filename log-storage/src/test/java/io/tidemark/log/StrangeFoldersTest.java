package io.tidemark.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Folders that no run of this build leaves, and names that are easily mistaken for others. */
class StrangeFoldersTest {
    private static final LogConfig SMALL =
            LogConfig.builder().segmentBytes(4096).batchBytesMax(1024).build();
    private static final String FIRST = "00000000000000000000";

    @TempDir(factory = MemoryDisk.class)
    Path folder;

    private static byte[] bytes(UnsafeBuffer batch) {
        final byte[] bytes = new byte[batch.capacity()];
        batch.getBytes(0, bytes);
        return bytes;
    }

    // ST-02: a segment of another build holds an offset that no index entry can hold; both records are found.
    @Test
    void shouldOpenASegmentWhoseOffsetsAreTooFarFromItsBase() throws IOException {
        final long far = (1L << 31) + 5;
        Log.open(folder, SMALL).close();
        final Path log = folder.resolve("log-0");
        final ByteArrayOutputStream content = new ByteArrayOutputStream();
        content.writeBytes(bytes(TestBatches.replicated(0, 1, "near")));
        content.writeBytes(bytes(TestBatches.replicated(far, 1, "far")));
        Files.write(log.resolve(FIRST + ".log"), content.toByteArray());
        for (final String suffix : List.of(".index", ".timeindex", ".summary")) {
            Files.deleteIfExists(log.resolve(FIRST + suffix));
        }
        Files.delete(folder.resolve("tidemark.clean-stop"));
        for (int start = 0; start < 2; start++) {
            try (Log opened = Log.open(folder, SMALL)) {
                assertEquals(List.of("0@1=near", far + "@1=far"), TestBatches.records(opened, 0));
                assertEquals(List.of(far + "@1=far"), TestBatches.records(opened, far));
                assertEquals(far + 1, opened.logEndOffset());
            }
        }
    }

    // ST-14: many readers at once are the first to need the indexes and mappings.
    @Test
    void shouldLoadIndexesOnceForRacingReaders() throws Exception {
        try (Log log = Log.open(folder, SMALL)) {
            for (int i = 0; i < 60; i++) {
                TestBatches.append(log, 0, "value-" + i + "-" + "w".repeat(300));
            }
        }
        final ExecutorService readers = Executors.newFixedThreadPool(8);
        try {
            for (int round = 0; round < 20; round++) {
                try (Log log = Log.open(folder, SMALL)) {
                    final CyclicBarrier barrier = new CyclicBarrier(8);
                    final List<Future<Integer>> found = new ArrayList<>();
                    for (int i = 0; i < 8; i++) {
                        found.add(readers.submit(() -> {
                            barrier.await(60, TimeUnit.SECONDS);
                            return TestBatches.records(log, 0).size();
                        }));
                    }
                    for (final Future<Integer> each : found) {
                        assertEquals(60, each.get(60, TimeUnit.SECONDS));
                    }
                }
            }
        } finally {
            readers.shutdownNow();
        }
    }

    // ST-28: names that look like others are found again as what they are.
    @Test
    void shouldFindLogsOfConfusingNamesAgain() {
        final List<TopicPartition> partitions = new ArrayList<>();
        for (final String topic : List.of("a.b", "a_b", "a-1", "x--2", "a-1.deadbeef-delete", "t".repeat(249))) {
            partitions.add(new TopicPartition(topic, 0));
            partitions.add(new TopicPartition(topic, 12));
        }
        try (LogStore store = LogStore.open(folder, LogStoreConfig.defaults())) {
            for (int i = 0; i < partitions.size(); i++) {
                TestBatches.append(store.openLog(partitions.get(i), new UUID(1, i), SMALL), 0, "log " + i);
            }
        }
        try (LogStore store = LogStore.open(folder, LogStoreConfig.defaults())) {
            assertEquals(partitions.size(), store.existing().size());
            assertTrue(
                    store.existing().containsAll(partitions),
                    () -> store.existing().toString());
            for (int i = 0; i < partitions.size(); i++) {
                assertEquals(new UUID(1, i), store.topicIdOf(partitions.get(i)).orElseThrow());
                final Log log = store.openLog(partitions.get(i), new UUID(1, i), SMALL);
                assertEquals(List.of("0@0=log " + i), TestBatches.records(log, 0));
            }
        }
    }

    // ST-29, ST-12: folders without segments, orphans and strangers do not keep a store from starting.
    @Test
    void shouldStartWithFoldersThatACrashLeft() throws IOException {
        final TopicPartition partition = new TopicPartition("orders", 0);
        final UUID topic = new UUID(4, 4);
        try (LogStore store = LogStore.open(folder, LogStoreConfig.defaults())) {
            TestBatches.append(store.openLog(partition, topic, SMALL), 0, "gone");
        }
        final Path log = folder.resolve("orders-0");
        Files.delete(log.resolve(FIRST + ".log"));
        Files.createFile(log.resolve("stranger"));
        Files.createDirectories(log.resolve("nested").resolve("folder"));
        Files.createDirectory(folder.resolve("empty-0"));
        Files.createDirectory(folder.resolve("old-0.00112233445566778899aabbccddeeff-delete"));
        Files.createDirectory(folder.resolve("old-0.00112233445566778899aabbccddeeff-future"));
        Files.createFile(folder.resolve("file-0"));
        try (LogStore store = LogStore.open(folder, LogStoreConfig.defaults())) {
            final Log opened = store.openLog(partition, topic, SMALL);
            assertEquals(opened.logStartOffset(), opened.logEndOffset());
            assertFalse(Files.exists(log.resolve(FIRST + ".timeindex")) && opened.logEndOffset() > 0);
            TestBatches.append(opened, 0, "again");
            final Log empty = store.openLog(new TopicPartition("empty", 0), topic, SMALL);
            assertEquals(0, empty.logEndOffset());
        }
        assertTrue(Files.exists(log.resolve("stranger")));
        try (Stream<Path> files = Files.list(folder)) {
            assertTrue(files.anyMatch(file -> file.toString().endsWith("-stray")));
        }
    }
}
