package io.tidemark.conductor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.partition.Replica;
import io.tidemark.transport.ConnectionRefusedException;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.MessageReader;
import io.tidemark.wire.MessageWriter;
import io.tidemark.wire.Role;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Broker 1 asks whether broker 2 is dead. */
class PeerProbeTest {
    private static final long STEP_NS = TimeUnit.MILLISECONDS.toNanos(10);

    private final FakeTransport transport = new FakeTransport();
    private final Map<Integer, PeerAddress> addresses = new HashMap<>();
    private final List<Replica> dead = new ArrayList<>();
    private final Hellos hellos = new Hellos(1);
    private final PeerProbe probe = new PeerProbe(
            transport, hellos, addresses::get, (broker, incarnation) -> dead.add(new Replica(broker, incarnation)));
    private long nowNs = 5;

    PeerProbeTest() {
        hellos.registered(11, "c1");
        addresses.put(2, new PeerAddress(2, 7, "h2", 9002));
    }

    @Test
    void shouldProveDeathWhenTheConnectionIsRefused() {
        probe.connectionLost(2, 7, nowNs);
        assertEquals("h2:9002", transport.last().remoteAddress());

        transport.last().end(new ConnectionRefusedException("refused: h2:9002", new IOException("refused")));

        assertEquals(List.of(new Replica(2, 7)), dead);
        pass(1);
        assertEquals(0, probe.openCount());
        assertEquals(1, transport.connections().size());
    }

    // The process was restarted by a supervisor before anybody asked.
    @Test
    void shouldProveDeathWhenAnotherIncarnationAnswers() {
        probe.connectionLost(2, 7, nowNs);
        transport.last().open();
        UnsafeBuffer hello = new UnsafeBuffer(transport.last().sent().get(0));
        var decoder = new MessageReader().hello(hello, 0, hello.capacity());
        assertEquals(Role.PROBE.code(), decoder.role());
        assertEquals(11, decoder.incarnation());

        transport.last().receive(helloReply(2, 8));

        assertEquals(List.of(new Replica(2, 7)), dead);
    }

    // Somebody else took the port.
    @Test
    void shouldProveDeathWhenAnotherBrokerAnswers() {
        probe.connectionLost(2, 7, nowNs);
        transport.last().open();
        transport.last().receive(helloReply(5, 7));

        assertEquals(List.of(new Replica(2, 7)), dead);
    }

    // One link was reset, and the process is well: no verdict, and no further questions.
    @Test
    void shouldProveNothingWhenTheSameIncarnationAnswers() {
        probe.connectionLost(2, 7, nowNs);
        transport.last().open();
        transport.last().receive(helloReply(2, 7));
        pass(200);

        assertEquals(List.of(), dead);
        assertEquals(0, probe.openCount());
        assertTrue(transport.last().isClosed());
        assertEquals(1, transport.connections().size());
    }

    // A new registration is proof enough; nobody needs to be asked.
    @Test
    void shouldProveDeathWithoutAskingWhenALaterLifeIsRegistered() {
        addresses.put(2, new PeerAddress(2, 8, "h2", 9002));
        probe.connectionLost(2, 7, nowNs);

        assertEquals(List.of(new Replica(2, 7)), dead);
        assertEquals(0, transport.connections().size());
    }

    // A process that is being killed still accepts, then resets: neither a refusal nor an answer. It is asked again.
    @Test
    void shouldAskAgainWhenTheConnectionBreaksWithoutAnAnswer() {
        probe.connectionLost(2, 7, nowNs);
        transport.last().open();
        transport.last().end(new IOException("connection reset"));
        assertEquals(List.of(), dead);

        pass(3);
        assertEquals(2, transport.connections().size());
        transport.last().end(new ConnectionRefusedException("refused: h2:9002", new IOException("refused")));

        assertEquals(List.of(new Replica(2, 7)), dead);
    }

    // A black hole proves nothing, however long it is asked; the questions end.
    @Test
    void shouldGiveUpWhenNobodyAnswersForLong() {
        probe.connectionLost(2, 7, nowNs);
        pass(6_000);

        assertEquals(List.of(), dead);
        assertEquals(0, probe.openCount());
        assertEquals(PeerProbe.ATTEMPTS_MAX, transport.connections().size());
        assertTrue(transport.connections().stream().allMatch(FakeTransport.FakeConnection::isClosed));
    }

    @Test
    void shouldAskOnceWhenManyConnectionsOfOneProcessBreak() {
        probe.connectionLost(2, 7, nowNs);
        probe.connectionLost(2, 7, nowNs);
        probe.connectionLost(2, 6, nowNs);

        assertEquals(1, transport.connections().size());
        assertEquals(1, probe.openCount());
    }

    @Test
    void shouldAskNobodyWhenTheAddressIsNotKnown() {
        probe.connectionLost(3, 1, nowNs);
        pass(1);

        assertEquals(0, transport.connections().size());
        assertEquals(0, probe.openCount());
    }

    private void pass(int steps) {
        for (int i = 0; i < steps; i++) {
            nowNs += STEP_NS;
            probe.tick(nowNs);
        }
    }

    private static byte[] helloReply(int broker, long incarnation) {
        MessageWriter writer = new MessageWriter();
        writer.helloReply()
                .code(ErrorCode.NONE.code())
                .brokerId(broker)
                .incarnation(incarnation)
                .clusterId("c1")
                .message("");
        return writer.copy();
    }
}
