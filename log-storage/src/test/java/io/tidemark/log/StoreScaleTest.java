package io.tidemark.log;

import static io.tidemark.log.TestBatches.append;
import static io.tidemark.log.TestBatches.records;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.log.io.FaultyFileSystem;
import io.tidemark.log.io.FaultyFileSystem.Call;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many logs in one folder: what they cost while they are idle, when they are opened, and when they are recovered. */
class StoreScaleTest {
    private static final UUID TOPIC = new UUID(4, 2);
    /** The file system of the tests looks at whole files when it forces them. */
    private static final LogConfig CONFIG =
            LogConfig.builder().segmentBytes(1 << 18).batchBytesMax(1 << 18).build();

    private static final int LOGS = Integer.getInteger("tidemark.logs", 300);
    private static final int WRITERS_MAX = Integer.getInteger("tidemark.writers", 20);

    @TempDir
    Path folder;

    private final TestTime time = new TestTime();
    private FaultyFileSystem fileSystem = new FaultyFileSystem();

    private LogStore open() {
        return LogStore.open(
                folder,
                LogStoreConfig.builder()
                        .writersMax(WRITERS_MAX)
                        .mappingsMax(50)
                        .retentionInterval(Duration.ZERO)
                        .build(),
                fileSystem,
                time.epochClock(),
                time.nanoClock());
    }

    private static TopicPartition name(int i) {
        return new TopicPartition("orders", i);
    }

    private long openFiles() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            long count = 0;
            for (final Path file : files.toList()) {
                try {
                    count += Files.readSymbolicLink(file).startsWith(folder) ? 1 : 0;
                } catch (final IOException e) {
                    // The descriptor of the listing itself, or one that was closed meanwhile.
                }
            }
            return count;
        }
    }

    private long mappings() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains(folder.toString())).count();
        }
    }

    /** The greatest disk use of a folder of a log, in KiB. */
    private long diskUseMax() throws IOException {
        final Process process = new ProcessBuilder("du", "-k", "-d1", folder.toString()).start();
        long greatest = 0;
        try (Stream<String> lines = process.inputReader().lines()) {
            for (final String line : lines.toList()) {
                if (line.contains("orders-")) {
                    greatest = Math.max(greatest, Long.parseLong(line.substring(0, line.indexOf('\t'))));
                }
            }
        }
        return greatest;
    }

    // ST-19, D-12: idle logs cost no descriptor and no mapping beyond the bounds, and little disk; each still takes the
    // next append.
    @Test
    void shouldBoundDescriptorsAndMappingsOfManyLogs() throws IOException {
        final long baseFiles = openFiles();
        try (LogStore store = open()) {
            final List<Log> logs = new ArrayList<>();
            for (int i = 0; i < LOGS; i++) {
                final Log log = store.openLog(name(i), TOPIC, CONFIG);
                append(log, 0, "first-" + i);
                logs.add(log);
                if (i % 100 == 0) {
                    store.maintain();
                }
            }
            for (int i = 0; i < 4 + LOGS / 256; i++) {
                store.maintain();
            }
            final long files = openFiles() - baseFiles;
            assertTrue(files <= WRITERS_MAX + 5, "open files=" + files);
            assertTrue(mappings() <= WRITERS_MAX + 50, "mappings=" + mappings());
            assertTrue(diskUseMax() < 100, "KiB=" + diskUseMax());
            for (int i = 0; i < LOGS; i++) {
                assertEquals(1, append(logs.get(i), 0, "second-" + i));
                assertEquals(List.of("0@0=first-" + i, "1@0=second-" + i), records(logs.get(i), 0));
                if (i % 100 == 0) {
                    store.maintain();
                }
            }
            assertTrue(openFiles() - baseFiles <= WRITERS_MAX + 105, "open files=" + (openFiles() - baseFiles));
        }
        assertEquals(baseFiles, openFiles());
        assertEquals(0, mappings());
        fileSystem = new FaultyFileSystem();
        try (LogStore store = open()) {
            final long forces = fileSystem.calls(Call.FORCE);
            for (int i = 0; i < LOGS; i++) {
                final Log log = store.openLog(name(i), TOPIC, CONFIG);
                assertFalse(log.recoveryReport().scanned());
                assertEquals(2, log.logEndOffset());
            }
            store.maintain();
            assertTrue(openFiles() - baseFiles <= 5, "open files=" + (openFiles() - baseFiles));
            assertTrue(fileSystem.calls(Call.FORCE) - forces <= 10, "forces=" + fileSystem.calls(Call.FORCE));
        }
    }

    // Logs of one owner that was not told and never asks are still bounded, when it appends to others.
    @Test
    void shouldLetAnOwnerGiveBackWhatItDoesNotUse() throws Exception {
        try (LogStore store = open()) {
            final Thread maintenance = new Thread(() -> {
                while (!store.existing().contains(name(99))) {
                    store.maintain();
                }
            });
            maintenance.start();
            // All by one owner, while another thread maintains.
            for (int i = 0; i < 100; i++) {
                append(store.openLog(name(i), TOPIC, CONFIG), 0, "a");
            }
            maintenance.join();
            maintainOnce(store);
            append(store.openLog(name(100), TOPIC, CONFIG), 0, "a");
            maintainOnce(store);
            assertTrue(openFiles() <= 2 * WRITERS_MAX + 5, "open files=" + openFiles());
        }
    }

    private static void maintainOnce(LogStore store) throws InterruptedException {
        final Thread thread = new Thread(store::maintain);
        thread.start();
        thread.join();
    }

    // After a clean stop a log is opened by its last headers, whatever its size.
    @Test
    void shouldNotReadTheDataOfCleanlyClosedLogs() throws IOException {
        final LogConfig config = LogConfig.builder().segmentBytes(1 << 20).build();
        try (LogStore store = open()) {
            for (int i = 0; i < 20; i++) {
                final Log log = store.openLog(name(i), TOPIC, config);
                for (int j = 0; j < 40; j++) {
                    append(log, j / 10, "x".repeat(50_000));
                }
            }
        }
        fileSystem = new FaultyFileSystem();
        try (LogStore store = open()) {
            final long before = fileSystem.readBytes();
            for (int i = 0; i < 20; i++) {
                final Log log = store.openLog(name(i), TOPIC, config);
                assertFalse(log.recoveryReport().scanned());
                assertEquals(40, log.logEndOffset());
                assertEquals(3, log.latestEpoch());
            }
            final long read = (fileSystem.readBytes() - before) / 20;
            assertTrue(read < 120_000, "bytes read of each log=" + read + " of 2 000 000");
        }
    }

    // Unclean logs are recovered by several threads; the listener hears of each, and of the one that is damaged.
    @Test
    void shouldRecoverSeveralLogsAtOnce() throws Exception {
        final LogStore killed = open();
        for (int i = 0; i < 20; i++) {
            final Log log = killed.openLog(name(i), TOPIC, CONFIG);
            append(log, 0, "a-" + i);
            append(log, 0, "b-" + i);
            log.flush();
        }
        time.pass(Duration.ofSeconds(10));
        killed.maintain();
        killed.abandon();
        try (RandomAccessFile file = new RandomAccessFile(
                folder.resolve("orders-7").resolve("00000000000000000000.log").toFile(), "rw")) {
            file.seek(70);
            file.write(99);
        }
        final ConcurrentSkipListSet<String> threads = new ConcurrentSkipListSet<>();
        final AtomicInteger greatest = new AtomicInteger();
        final List<String> heard = new ArrayList<>();
        final ExecutorService executor = Executors.newFixedThreadPool(4);
        try (LogStore store = open()) {
            final int failed = store.recoverAll(CONFIG, executor, new RecoveryListener() {
                @Override
                public void recovered(TopicPartition partition, RecoveryReport report, long end, int done, int total) {
                    threads.add(Thread.currentThread().getName());
                    greatest.set(done);
                    assertEquals(20, total);
                    heard.add(partition + ":" + report.scanned() + ":" + end);
                }

                @Override
                public void failed(TopicPartition partition, StorageException failure, int done, int total) {
                    greatest.set(done);
                    heard.add(partition + ":" + failure.getClass().getSimpleName());
                }
            });
            assertEquals(1, failed);
            assertEquals(20, greatest.get());
            assertEquals(20, heard.size());
            assertTrue(heard.contains("orders-7:CorruptLogException"), heard.toString());
            assertTrue(heard.contains("orders-8:true:2"), heard.toString());
            assertTrue(threads.size() > 1, threads.toString());
            final Log log = store.openLog(name(3), TOPIC, CONFIG);
            assertFalse(log.recoveryReport().scanned());
            assertEquals(List.of("0@0=a-3", "1@0=b-3"), records(log, 0));
        } finally {
            executor.shutdown();
        }
    }

    // What a recovery would do can be seen without doing it.
    @Test
    void shouldTellWhatARecoveryWouldDoWithoutChangingAnything() throws IOException {
        final LogStore killed = open();
        final Log log = killed.openLog(name(0), TOPIC, CONFIG);
        append(log, 0, "a");
        append(log, 0, "b");
        killed.abandon();
        final Path file = folder.resolve("orders-0").resolve("00000000000000000000.log");
        final long size = Files.size(file);
        final List<String> before = listing();
        final LogStore dry = LogStore.openDryRun(folder);
        final List<String> heard = new ArrayList<>();
        assertEquals(0, dry.recoverAll(CONFIG, Runnable::run, new RecoveryListener() {
            @Override
            public void recovered(TopicPartition partition, RecoveryReport report, long end, int done, int total) {
                heard.add(partition + ":" + report.scanned() + ":" + end + ":" + (report.cutBytes() > 0));
            }

            @Override
            public void failed(TopicPartition partition, StorageException failure, int done, int total) {
                heard.add(partition + ":" + failure);
            }
        }));
        dry.abandon();
        assertEquals(List.of("orders-0:true:2:true"), heard);
        assertEquals(size, Files.size(file));
        assertEquals(before, listing());
        try (LogStore store = open()) {
            final Log recovered = store.openLog(name(0), TOPIC, CONFIG);
            assertTrue(recovered.recoveryReport().scanned());
            assertEquals(List.of("0@0=a", "1@0=b"), records(recovered, 0));
        }
    }

    private List<String> listing() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            final List<String> lines = new ArrayList<>();
            for (final Path file : files.sorted().toList()) {
                lines.add(file + " " + (Files.isDirectory(file) ? 0 : Files.size(file)));
            }
            return lines;
        }
    }

    // A marker of a clean stop that belongs to another life of the folder proves nothing.
    @Test
    void shouldNotBelieveTheCleanStopOfAnotherIncarnation() throws IOException {
        try (LogStore store = open()) {
            store.beginIncarnation(3);
            append(store.openLog(name(0), TOPIC, CONFIG), 0, "a");
        }
        final Path marker = folder.resolve("tidemark.clean-stop");
        final byte[] old = Files.readAllBytes(marker);
        final LogStore killed = open();
        killed.beginIncarnation(4);
        append(killed.openLog(name(0), TOPIC, CONFIG), 0, "b");
        killed.abandon();
        Files.write(marker, old);
        try (LogStore store = open()) {
            assertFalse(store.wasCleanlyStopped());
            final Log log = store.openLog(name(0), TOPIC, CONFIG);
            assertTrue(log.recoveryReport().scanned());
            assertEquals(List.of("0@0=a", "1@0=b"), records(log, 0));
        }
    }
}
