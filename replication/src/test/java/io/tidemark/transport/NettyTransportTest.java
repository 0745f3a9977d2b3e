package io.tidemark.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.wire.MessageWriter;
import io.tidemark.wire.WireFormatException;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NettyTransportTest {
    private static final int FRAME_LENGTH_MAX = 4 << 20;
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);

    private final NettyTransport transport = new NettyTransport("test", FRAME_LENGTH_MAX);
    private final List<RecordingHandler> accepted = new ArrayList<>();
    private final RecordingHandler client = new RecordingHandler();
    private final MessageWriter writer = new MessageWriter();

    @AfterEach
    void close() {
        transport.close();
        assertEquals(0, transport.directMemoryBytes());
    }

    private int listen() {
        return transport
                .listen("127.0.0.1", 0, connection -> {
                    RecordingHandler handler = new RecordingHandler();
                    accepted.add(handler);
                    return handler;
                })
                .getPort();
    }

    private Connection connect() {
        Connection connection = transport.connect("127.0.0.1", listen(), TIMEOUT_NS, client);
        until(() -> connection.isOpen() && accepted.size() == 1 && accepted.get(0).connection != null);
        return connection;
    }

    private void until(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TIMEOUT_NS;
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - deadline < 0, () -> "not in time; client events=" + client.events);
            transport.park(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    private int header(long correlationId) {
        writer.produceRequest().correlationId(correlationId);
        return writer.length();
    }

    // What is sent arrives in order and unchanged, whatever the sizes; nothing leaves before the flush.
    @Test
    void shouldCarryFramesInOrder() {
        long seed = 42;
        System.out.println("NettyTransportTest seed=" + seed + "; replay: run shouldCarryFramesInOrder");
        SplittableRandom random = new SplittableRandom(seed);
        Connection connection = connect();
        List<byte[]> sent = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            byte[] payload = new byte[random.nextInt(10) == 0 ? random.nextInt(1 << 20) : random.nextInt(300)];
            random.nextBytes(payload);
            sent.add(payload);
            connection.send(writer.buffer(), 0, header(i), new UnsafeBuffer(payload), 0, payload.length);
            if (random.nextInt(5) == 0) {
                connection.flush();
                transport.poll();
            }
        }
        connection.flush();
        RecordingHandler peer = accepted.get(0);
        until(() -> peer.payloads.size() == sent.size());
        for (int i = 0; i < sent.size(); i++) {
            assertArrayEquals(sent.get(i), peer.payloads.get(i), "frame=" + i);
        }
        assertTrue(peer.reads > 0);
    }

    // One side's replies reach the other; a frame may have no payload.
    @Test
    void shouldCarryFramesBothWays() {
        Connection connection = connect();
        connection.send(writer.buffer(), 0, header(1));
        connection.flush();
        RecordingHandler peer = accepted.get(0);
        until(() -> peer.payloads.size() == 1);
        peer.connection().send(writer.buffer(), 0, header(2));
        transport.poll();
        assertEquals(0, client.payloads.size());
        peer.connection().flush();
        until(() -> client.payloads.size() == 1);
        assertEquals(0, client.payloads.get(0).length);
    }

    // Closing is heard on both sides, once, with no cause.
    @Test
    void shouldTellBothSidesOfAClose() {
        Connection connection = connect();
        connection.close();
        until(() -> client.isClosed() && accepted.get(0).isClosed());
        connection.close();
        transport.poll();
        assertEquals(List.of("open", "closed"), client.events);
        assertEquals(List.of("open", "closed"), accepted.get(0).events);
        assertNull(client.cause);
        assertNull(accepted.get(0).cause);
        connection.send(writer.buffer(), 0, header(1));
        connection.flush();
    }

    // Nobody listens: the handler hears that it was refused, and nothing else.
    @Test
    void shouldShowARefusedConnection() throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        transport.connect("127.0.0.1", port, TIMEOUT_NS, client);
        until(client::isClosed);
        assertEquals(List.of("closed"), client.events);
        Throwable cause = assertInstanceOf(ConnectionRefusedException.class, client.cause);
        assertEquals("connection refused: address=127.0.0.1:" + port, cause.getMessage());
    }

    // An unknown host fails through the handler, not by an exception.
    @Test
    void shouldShowAnUnknownHost() {
        transport.connect("no such host", 1, TIMEOUT_NS, client);
        until(client::isClosed);
        assertTrue(String.valueOf(client.cause).contains("cannot connect: address=no such host:1, cause=unknown host"));
    }

    // The text that an operator sees when the port is taken.
    @Test
    void shouldNameThePortInUse() {
        int port = listen();
        TransportException failure =
                assertThrows(TransportException.class, () -> transport.listen("127.0.0.1", port, connection -> client));
        String text = String.valueOf(failure.getMessage());
        assertTrue(text.startsWith("cannot listen: address=127.0.0.1:" + port + ", cause="), text);
        assertTrue(text.endsWith("; port in use: stop the process that listens there, or give another port"), text);
    }

    // Bytes that are no frame close the connection with the reason.
    @Test
    void shouldCloseAConnectionThatSendsNoFrames() throws IOException {
        int port = listen();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            OutputStream out = socket.getOutputStream();
            out.write("GET / HTTP/1.1\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            out.flush();
            until(() -> !accepted.isEmpty() && accepted.get(0).isClosed());
            assertInstanceOf(WireFormatException.class, accepted.get(0).cause);
            assertTrue(String.valueOf(accepted.get(0).cause).contains("frame length out of range"));
        }
    }

    // A frame at the limit goes through; one past it is refused before anything is sent.
    @Test
    void shouldEnforceTheFrameLimitWhenSending() {
        Connection connection = connect();
        int headerLength = header(1);
        int most = FRAME_LENGTH_MAX - 4 - headerLength;
        UnsafeBuffer payload = new UnsafeBuffer(new byte[most + 1]);
        assertThrows(
                TransportException.class,
                () -> connection.send(writer.buffer(), 0, headerLength, payload, 0, most + 1));
        connection.send(writer.buffer(), 0, headerLength, payload, 0, most);
        connection.flush();
        until(() -> accepted.get(0).payloads.size() == 1);
        assertEquals(most, accepted.get(0).payloads.get(0).length);
    }

    // A peer that does not read fills our side: isWritable turns false, then true again when it reads.
    @Test
    void shouldShowBackPressureAndItsEnd() {
        Connection connection = connect();
        Connection peer = accepted.get(0).connection();
        peer.setReading(false);
        byte[] payload = new byte[100_000];
        int sent = 0;
        while (connection.isWritable()) {
            connection.send(writer.buffer(), 0, header(sent), new UnsafeBuffer(payload), 0, payload.length);
            connection.flush();
            sent++;
            transport.poll();
            assertTrue(sent < 10_000, "never full");
        }
        transport.poll();
        assertTrue(accepted.get(0).payloads.size() <= 2 + ReceiveBuffer.CAPACITY / payload.length);
        int expected = sent;
        peer.setReading(true);
        until(() -> accepted.get(0).payloads.size() == expected);
        assertTrue(connection.isWritable());
        assertTrue(client.events.contains("writable"), () -> "events=" + client.events);
    }

    // While reading is off no frame is handed over, not even those that are there already.
    @Test
    void shouldHandOverNothingWhileReadingIsOff() {
        Connection connection = connect();
        RecordingHandler peer = accepted.get(0);
        List<Integer> seen = new ArrayList<>();
        RecordingHandler pausing = new RecordingHandler() {
            @Override
            public void onFrame(Connection from, Frame frame) {
                super.onFrame(from, frame);
                seen.add(frame.payloadLength());
                from.setReading(false);
            }
        };
        ((NettyConnection) peer.connection()).handler(pausing);
        for (int i = 0; i < 5; i++) {
            connection.send(writer.buffer(), 0, header(i), new UnsafeBuffer(new byte[i]), 0, i);
        }
        connection.flush();
        for (int i = 1; i <= 5; i++) {
            int count = i;
            until(() -> seen.size() == count);
            transport.poll();
            transport.poll();
            assertEquals(count, seen.size());
            peer.connection().setReading(true);
        }
        assertEquals(List.of(0, 1, 2, 3, 4), seen);
    }

    // A wake-up that comes before the wait is not lost, even if a poll came between; a later wait waits.
    @Test
    void shouldKeepAWakeUpUntilTheNextPark() {
        transport.park(1);
        transport.wakeUp();
        transport.wakeUp();
        transport.poll();
        long start = System.nanoTime();
        transport.park(TIMEOUT_NS);
        assertTrue(System.nanoTime() - start < TIMEOUT_NS / 2);
        start = System.nanoTime();
        transport.park(TimeUnit.MILLISECONDS.toNanos(50));
        assertTrue(System.nanoTime() - start >= TimeUnit.MILLISECONDS.toNanos(40));
    }

    // 20 000 hand-overs from another thread, each followed by a wake-up: a lost one would wait for the whole time-out.
    @Test
    void shouldNotLoseAWakeUpFromAnotherThread() throws InterruptedException {
        int rounds = 20_000;
        java.util.concurrent.atomic.AtomicInteger published = new java.util.concurrent.atomic.AtomicInteger();
        java.util.concurrent.atomic.AtomicInteger seen = new java.util.concurrent.atomic.AtomicInteger();
        Thread other = new Thread(() -> {
            for (int i = 1; i <= rounds; i++) {
                published.lazySet(i);
                transport.wakeUp();
                while (seen.get() < i && !Thread.currentThread().isInterrupted()) {
                    Thread.onSpinWait();
                }
            }
        });
        other.start();
        long longestNs = 0;
        while (seen.get() < rounds) {
            seen.set(published.get());
            long start = System.nanoTime();
            if (seen.get() < rounds) {
                transport.park(TIMEOUT_NS);
            }
            longestNs = Math.max(longestNs, System.nanoTime() - start);
        }
        other.join();
        assertTrue(longestNs < TIMEOUT_NS / 2, "longestNs=" + longestNs);
    }

    // What a handler throws comes out of the owner's call, since the owner's state may be half changed.
    @Test
    void shouldThrowWhatAHandlerThrew() {
        connect();
        IllegalStateException broken = new IllegalStateException("broken");
        ((NettyConnection) client.connection()).handler(new RecordingHandler() {
            @Override
            public void onFrame(Connection from, Frame frame) {
                throw broken;
            }
        });
        accepted.get(0).connection().send(writer.buffer(), 0, header(1));
        accepted.get(0).connection().flush();
        IllegalStateException thrown = assertThrows(
                IllegalStateException.class, () -> until(() -> accepted.get(0).isClosed()));
        assertSame(broken, thrown);
    }

    // Another thread must not touch it.
    @Test
    void shouldRefuseAnotherThread() throws InterruptedException {
        List<Throwable> thrown = new ArrayList<>();
        CountDownLatch done = new CountDownLatch(1);
        Thread other = new Thread(() -> {
            try {
                transport.poll();
            } catch (IllegalStateException e) {
                thrown.add(e);
            } finally {
                done.countDown();
            }
        });
        other.start();
        done.await();
        other.join();
        assertEquals(1, thrown.size());
    }

    // Open, use, close, many times: no thread, no descriptor and no direct memory is left.
    @Test
    void shouldLeaveNothingBehind() {
        openUseClose();
        int threads = Thread.activeCount();
        int descriptors = descriptors();
        for (int i = 0; i < 20; i++) {
            openUseClose();
        }
        assertEquals(threads, Thread.activeCount());
        assertEquals(descriptors, descriptors());
    }

    private void openUseClose() {
        NettyTransport other = new NettyTransport("other", FRAME_LENGTH_MAX);
        RecordingHandler server = new RecordingHandler();
        InetSocketAddress address = other.listen("127.0.0.1", 0, connection -> server);
        RecordingHandler mine = new RecordingHandler();
        other.connect("127.0.0.1", address.getPort(), TIMEOUT_NS, mine);
        while (mine.connection == null || server.connection == null) {
            other.park(TIMEOUT_NS);
        }
        mine.connection().send(writer.buffer(), 0, header(1), new UnsafeBuffer(new byte[300_000]), 0, 300_000);
        mine.connection().flush();
        other.poll();
        other.close();
        other.close();
        other.wakeUp();
        assertEquals(0, other.directMemoryBytes());
        assertEquals("closed", mine.events.get(mine.events.size() - 1));
        assertFalse(mine.connection().isOpen());
        assertTrue(server.isClosed());
    }

    private static int descriptors() {
        String[] names = new File("/proc/self/fd").list();
        return names == null ? 0 : (int) Arrays.stream(names).count();
    }
}
