package io.tidemark.log;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** What {@link RealDiskTest} runs in JVMs of their own. Writes what it sees, and "done" when all is as it should be. */
final class RealDiskMain {
    private static final int VALUE_BYTES = 900;
    private static final UUID TOPIC = new UUID(5, 5);

    private RealDiskMain() {}

    public static void main(String[] arguments) throws Exception {
        final Path folder = Path.of(arguments[1]);
        switch (arguments[0]) {
            case "full" -> fillDisk(folder);
            case "limit" -> limitFiles(folder);
            case "cut" -> cutFiles(folder);
            case "unmap" -> unmapUnderReaders(folder, Long.parseLong(arguments[2]));
            case "leak" -> leak(folder, Integer.parseInt(arguments[2]));
            case "load" -> load(folder, Long.parseLong(arguments[2]));
            default -> throw new IllegalArgumentException(arguments[0]);
        }
        System.out.println("done");
    }

    private static void require(boolean isTrue, String what) {
        if (!isTrue) {
            throw new IllegalStateException(what);
        }
    }

    /** The value of the record at an offset. */
    static String value(long offset) {
        return "record-" + offset + "-" + "r".repeat(VALUE_BYTES);
    }

    private static void append(Log log) {
        TestBatches.append(log, 0, value(log.logEndOffset()));
    }

    /** Reads everything and checks each record. */
    static void verify(Log log) {
        final List<String> lines = new ArrayList<>();
        final long[] next = {log.logStartOffset()};
        log.forEachBatch(log.logStartOffset(), Long.MAX_VALUE, batch -> {
            lines.clear();
            TestBatches.addRecords(batch, lines);
            for (final String line : lines) {
                require(line.equals(next[0] + "@0=" + value(next[0])), "offset=" + next[0] + ", found=" + line);
                next[0]++;
            }
        });
        require(next[0] == log.logEndOffset(), "end=" + log.logEndOffset() + ", read to=" + next[0]);
    }

    // ST-16: appends until there is no space, reads, frees some, goes on.
    private static void fillDisk(Path folder) throws IOException {
        final LogConfig config = LogConfig.builder()
                .segmentBytes(1 << 20)
                .batchBytesMax(1 << 16)
                .extentBytes(1 << 18)
                .build();
        final Path ballast = folder.resolve("ballast");
        Files.write(ballast, new byte[2 << 20]);
        final Path data = folder.resolve("data");
        Log log = Log.open(data, config);
        StorageException refused = null;
        while (refused == null) {
            try {
                append(log);
                if (log.logEndOffset() % 100 == 0) {
                    log.maintain();
                }
            } catch (final StorageException e) {
                refused = e;
            }
        }
        final long end = log.logEndOffset();
        System.out.println("refused at offset=" + end + ": " + refused);
        require(end > 1000, "end=" + end);
        verify(log);
        Files.delete(ballast);
        try {
            append(log);
            System.out.println("went on by itself");
        } catch (final StorageException e) {
            System.out.println("opens again after: " + e);
            try {
                log.close();
            } catch (final StorageException closing) {
                System.out.println("closed with: " + closing);
            }
            log = Log.open(data, config);
            require(log.logEndOffset() == end, "end after opening=" + log.logEndOffset() + ", before=" + end);
            append(log);
        }
        require(log.logEndOffset() == end + 1, "end=" + log.logEndOffset());
        log.flush();
        verify(log);
        log.close();
    }

    // ST-16: the system allows no file of the size of a segment; logs of smaller ones go on.
    private static void limitFiles(Path folder) {
        final LogConfig small =
                LogConfig.builder().segmentBytes(1 << 18).batchBytesMax(1 << 16).build();
        final LogConfig large = LogConfig.builder().segmentBytes(1 << 20).build();
        try (LogStore store = LogStore.open(folder.resolve("data"), LogStoreConfig.defaults())) {
            final Log log = store.openLog(new TopicPartition("small", 0), TOPIC, small);
            final Log refused = store.openLog(new TopicPartition("large", 0), TOPIC, large);
            for (int i = 0; i < 500; i++) {
                append(log);
            }
            try {
                append(refused);
                throw new IllegalStateException("the file was not limited");
            } catch (final StorageException e) {
                System.out.println("refused at offset=" + refused.logEndOffset() + ": " + e);
            }
            for (int i = 0; i < 500; i++) {
                append(log);
            }
            verify(log);
            refused.close();
        }
    }

    // DESIGN 2.2: somebody cuts a file under a reader, under one who sums what he reads, and under the appender.
    private static void cutFiles(Path folder) throws Exception {
        final LogConfig config =
                LogConfig.builder().segmentBytes(1 << 20).batchBytesMax(1 << 16).build();
        final Log log = Log.open(folder.resolve("data"), config);
        for (int i = 0; i < 2500; i++) {
            append(log);
        }
        for (int i = 0; i < 10; i++) {
            // So often that the compiler has been here.
            verify(log);
            scan(log);
        }
        final List<Path> segments = segments(folder.resolve("data"));
        cut(segments.get(0));
        cut(segments.get(segments.size() - 1));
        expectStorageException("reader", () -> scan(log));
        expectStorageException("summing reader", () -> verify(log));
        expectStorageException("appender", () -> {
            for (int i = 0; i < 20_000; i++) {
                append(log);
            }
        });
        expectStorageException("opening", () -> {
            try {
                log.close();
            } finally {
                Log.open(folder.resolve("data"), config).close();
            }
            throw new StorageException("the log ends earlier");
        });
    }

    private static long scan(Log log) {
        final long[] sum = {0};
        log.forEachBatch(log.logStartOffset(), Long.MAX_VALUE, batch -> {
            final RecordCursor cursor = batch.records();
            while (cursor.next()) {
                sum[0] += cursor.value().length;
            }
        });
        return sum[0];
    }

    private static void cut(Path file) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.setLength(4096);
        }
    }

    private static List<Path> segments(Path data) throws IOException {
        try (Stream<Path> files = Files.walk(data)) {
            return files.filter(file -> file.toString().endsWith(".log"))
                    .sorted()
                    .toList();
        }
    }

    private static void expectStorageException(String who, Runnable action) {
        try {
            action.run();
            throw new IllegalStateException(who + " saw nothing");
        } catch (final StorageException e) {
            System.out.println(who + " got: " + e.getMessage());
        }
    }

    // ST-17: leases are held across truncations, deletions and closes.
    private static void unmapUnderReaders(Path folder, long seed) throws Exception {
        final LogConfig config =
                LogConfig.builder().segmentBytes(16 << 10).batchBytesMax(4096).build();
        final LogStoreConfig few = LogStoreConfig.builder().mappingsMax(3).build();
        try (LogStore store = LogStore.open(folder.resolve("data"), few)) {
            final AtomicReference<Log> current = new AtomicReference<>();
            final AtomicReference<Throwable> failure = new AtomicReference<>();
            final AtomicBoolean isOver = new AtomicBoolean();
            final List<Thread> readers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                final SplittableRandom random = new SplittableRandom(seed + i);
                final Thread reader = new Thread(() -> readUntil(isOver, current, random, failure));
                reader.setDaemon(true);
                reader.start();
                readers.add(reader);
            }
            final SplittableRandom random = new SplittableRandom(seed);
            for (int round = 0; round < 40; round++) {
                final TopicPartition partition = new TopicPartition("t", round % 4);
                final Log log = store.openLog(partition, TOPIC, config);
                current.set(log);
                for (int step = 0; step < 60; step++) {
                    change(store, log, random);
                }
                log.close();
                if (failure.get() != null) {
                    throw new IllegalStateException("reader failed", failure.get());
                }
            }
            isOver.set(true);
            for (final Thread reader : readers) {
                reader.join();
            }
            if (failure.get() != null) {
                throw new IllegalStateException(failure.get());
            }
            store.maintain();
        }
        require(ownMappings(folder).isEmpty(), "mappings left: " + ownMappings(folder));
    }

    private static void change(LogStore store, Log log, SplittableRandom random) {
        switch (random.nextInt(12)) {
            case 0 ->
                log.truncateTo(log.logStartOffset() + random.nextLong(log.logEndOffset() - log.logStartOffset() + 1));
            case 1 -> log.truncateFullyAndStartAt(log.logEndOffset() + random.nextInt(10));
            case 2 -> store.maintain();
            default -> {
                for (int i = 0; i < 8; i++) {
                    append(log);
                }
            }
        }
    }

    private static void readUntil(
            AtomicBoolean isOver,
            AtomicReference<Log> current,
            SplittableRandom random,
            AtomicReference<Throwable> to) {
        final LogSlice[] held = new LogSlice[6];
        for (int i = 0; i < held.length; i++) {
            held[i] = new LogSlice();
        }
        try {
            while (!isOver.get()) {
                final Log log = current.get();
                final LogSlice slice = held[random.nextInt(held.length)];
                if (slice.isOpen()) {
                    // Whatever happened to the log meanwhile, the bytes are those that were read.
                    for (final String line : TestBatches.records(slice)) {
                        final long offset = CrashScript.offsetOf(line);
                        require(line.equals(offset + "@0=" + value(offset)), line);
                    }
                    slice.close();
                }
                if (log != null) {
                    readInto(slice, log, random);
                }
            }
        } catch (final Throwable e) {
            to.compareAndSet(null, e);
        } finally {
            for (final LogSlice slice : held) {
                slice.close();
            }
        }
    }

    private static void readInto(LogSlice slice, Log log, SplittableRandom random) {
        try {
            log.read(log.logStartOffset() + random.nextInt(200), 4096, Long.MAX_VALUE, slice);
        } catch (final OffsetOutOfRangeException | IllegalStateException e) {
            // The log is shorter, or closed.
            slice.close();
        }
    }

    // ST-18, ST-19: nothing is left of logs that are gone, and no garbage collector helps.
    private static void leak(Path folder, int cycles) throws Exception {
        final LogConfig config =
                LogConfig.builder().segmentBytes(4096).batchBytesMax(2048).build();
        try (LogStore store = LogStore.open(folder.resolve("data"), LogStoreConfig.defaults())) {
            cycle(store, config, 0);
            final int descriptors = descriptors();
            final int threads = Thread.activeCount();
            for (int i = 1; i <= cycles; i++) {
                cycle(store, config, i);
            }
            System.out.println("descriptors before=" + descriptors + ", after=" + descriptors());
            require(descriptors() <= descriptors + 5, "descriptors before=" + descriptors + ", after=" + descriptors());
            require(ownMappings(folder).isEmpty(), "mappings left: " + ownMappings(folder));
            require(Thread.activeCount() <= threads, "threads=" + Thread.activeCount());
        }
        final long bytes = bytesIn(folder.resolve("data"));
        System.out.println("bytes left=" + bytes);
    }

    /** Makes a log of several segments, reads with a lease on an old one, empties it, and closes everything twice. */
    private static void cycle(LogStore store, LogConfig config, int number) {
        final Log log = store.openLog(new TopicPartition("leak", number % 7), TOPIC, config);
        final long start = log.logEndOffset();
        for (int i = 0; i < 12; i++) {
            append(log);
        }
        try (LogSlice slice = new LogSlice()) {
            require(log.read(start, 2048, Long.MAX_VALUE, slice), "no batch at " + start);
            log.truncateFullyAndStartAt(log.logEndOffset());
            store.maintain();
            require(TestBatches.records(slice).size() > 0, "no record in the lease");
        }
        store.maintain();
        log.close();
        log.close();
    }

    private static int descriptors() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return (int) files.count();
        }
    }

    private static List<String> ownMappings(Path folder) throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains(folder.toString()))
                    .filter(line -> line.contains(".log") || line.contains("index"))
                    .toList();
        }
    }

    private static long bytesIn(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }

    // Writes for ever, and tells how far it is, until it is killed.
    private static void load(Path folder, long seed) {
        final SplittableRandom random = new SplittableRandom(seed);
        final Log log = Log.open(folder, loadConfig());
        final AtomicBoolean isOver = new AtomicBoolean();
        final Thread maintenance = new Thread(() -> {
            while (!isOver.get()) {
                log.maintain();
                LockSupport.parkNanos(200_000);
            }
        });
        maintenance.setDaemon(true);
        maintenance.start();
        verify(log);
        final StringBuilder line = new StringBuilder();
        while (!isOver.get()) {
            for (int i = 0; i < 20; i++) {
                append(log);
            }
            if (random.nextInt(20) == 0) {
                log.flush();
            }
            if (random.nextInt(30) == 0) {
                // Says so before, as what is truncated must not be missed.
                final long to = Math.max(0, log.logEndOffset() - random.nextInt(300));
                System.out.println("truncating " + to);
                log.truncateTo(to);
            }
            line.setLength(0);
            System.out.println(line.append("appended ").append(log.logEndOffset()));
        }
    }

    /** Small segments, so that a kill meets every kind of work. */
    static LogConfig loadConfig() {
        return LogConfig.builder()
                .segmentBytes(64 << 10)
                .batchBytesMax(8192)
                .indexIntervalBytes(2048)
                .build();
    }
}
