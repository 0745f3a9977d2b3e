package io.tidemark.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.log.BatchBuilder;
import io.tidemark.log.Log;
import io.tidemark.log.LogConfig;
import io.tidemark.log.LogSlice;
import io.tidemark.wire.MessageWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Slices of a real log as payloads: the right bytes arrive, and every lease is given back exactly when it may be. */
class SliceSendTest {
    private static final int FRAME_LENGTH_MAX = 8 << 20;
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final int BATCHES = 60;

    @TempDir
    private Path dir = Path.of(".");

    private final NettyTransport transport = new NettyTransport("test", FRAME_LENGTH_MAX);
    private final RecordingHandler client = new RecordingHandler();
    private final RecordingHandler server = new RecordingHandler();
    private final MessageWriter writer = new MessageWriter();
    private final List<byte[]> batches = new ArrayList<>();

    @BeforeEach
    void connect() {
        final int port = transport.listen("127.0.0.1", 0, connection -> server).getPort();
        transport.connect("127.0.0.1", port, TIMEOUT_NS, client);
        until(() -> client.connection != null && server.connection != null);
    }

    @AfterEach
    void close() {
        transport.close();
        assertEquals(0, transport.directMemoryBytes());
    }

    private void until(BooleanSupplier condition) {
        final long deadline = System.nanoTime() + TIMEOUT_NS;
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - deadline < 0, "not in time");
            transport.park(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    /** A log of small and large batches; what {@link #batches} holds is read back from it. */
    private Log openLog() {
        final Log log = Log.open(dir, LogConfig.builder().segmentBytes(64 << 20).build());
        final BatchBuilder builder = new BatchBuilder(1 << 20);
        final SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < BATCHES; i++) {
            final byte[] value =
                    new byte[i % 3 == 0 ? 100 + random.nextInt(10_000) : 200_000 + random.nextInt(500_000)];
            random.nextBytes(value);
            builder.reset();
            builder.append(1, null, value);
            final int length = builder.build(-1, (short) -1, -1);
            log.append(builder.buffer(), 0, length, 0);
        }
        final LogSlice slice = new LogSlice();
        for (int i = 0; i < BATCHES; i++) {
            assertTrue(log.read(i, 1, BATCHES, slice));
            final byte[] bytes = new byte[slice.length()];
            slice.buffer().getBytes(slice.index(), bytes);
            batches.add(bytes);
        }
        slice.close();
        return log;
    }

    /** Sends all batches, two slices per frame, with slices that are used again at once. */
    private void sendAll(Log log) {
        final LogSlice[] slices = {new LogSlice(), new LogSlice()};
        for (int i = 0; i < BATCHES; i += 2) {
            assertTrue(log.read(i, 1, BATCHES, slices[0]));
            assertTrue(log.read(i + 1, 1, BATCHES, slices[1]));
            writer.fetchReply().correlationId(i).partitionsCount(0);
            client.connection().send(writer.buffer(), 0, writer.length(), slices, 2);
            assertFalse(slices[0].isOpen());
            assertFalse(slices[1].isOpen());
        }
        client.connection().flush();
    }

    private long mappings() {
        try {
            return Files.readAllLines(Path.of("/proc/self/maps"), StandardCharsets.ISO_8859_1).stream()
                    .filter(line -> line.contains(dir.toString()))
                    .count();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    // The peer reads late, the log is closed meanwhile: the bytes are right, and the mapping goes with the last lease.
    @Test
    void shouldKeepTheMappingUntilTheBytesAreWritten() {
        final Log log = openLog();
        server.connection().setReading(false);
        sendAll(log);
        log.close();
        transport.poll();
        assertTrue(mappings() > 0, "the bytes that wait must stay mapped");
        server.connection().setReading(true);
        until(() -> server.payloads.size() == BATCHES / 2);
        for (int i = 0; i < BATCHES; i += 2) {
            final byte[] payload = server.payloads.get(i / 2);
            final byte[] first = batches.get(i);
            assertEquals(first.length + batches.get(i + 1).length, payload.length);
            assertArrayEquals(first, java.util.Arrays.copyOf(payload, first.length));
            assertArrayEquals(batches.get(i + 1), java.util.Arrays.copyOfRange(payload, first.length, payload.length));
        }
        assertEquals(0, mappings());
    }

    // The connection breaks while bytes wait: the leases come back.
    @Test
    void shouldGiveLeasesBackWhenTheConnectionCloses() {
        final Log log = openLog();
        server.connection().setReading(false);
        sendAll(log);
        log.close();
        assertTrue(mappings() > 0);
        client.connection().close();
        until(client::isClosed);
        assertEquals(0, mappings());
    }

    // Sent too much, or on a closed connection: nothing goes out, and the leases come back all the same.
    @Test
    void shouldGiveLeasesBackWhenNothingIsSent() {
        final Log log = openLog();
        final LogSlice[] slices = new LogSlice[BATCHES];
        for (int i = 0; i < BATCHES; i++) {
            slices[i] = new LogSlice();
            assertTrue(log.read(i, 1, BATCHES, slices[i]));
        }
        writer.fetchReply().correlationId(1).partitionsCount(0);
        assertThrows(
                TransportException.class,
                () -> client.connection().send(writer.buffer(), 0, writer.length(), slices, BATCHES));
        assertFalse(slices[0].isOpen());
        client.connection().close();
        assertTrue(log.read(0, 1, BATCHES, slices[0]));
        client.connection().send(writer.buffer(), 0, writer.length(), slices, 1);
        assertFalse(slices[0].isOpen());
        log.close();
        assertEquals(0, mappings());
    }
}
