package io.tidemark.sim;

import io.tidemark.log.LogSlice;
import io.tidemark.transport.Connection;
import io.tidemark.transport.ConnectionHandler;
import io.tidemark.transport.Frame;
import io.tidemark.transport.FrameCutter;
import io.tidemark.transport.TransportException;
import io.tidemark.wire.FrameDescriptor;
import io.tidemark.wire.WireFormatException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** One end of a connection. Owned by its transport. */
final class SimConnection implements Connection {
    private static final int HIGH_WATER = 2 * 1024 * 1024;
    private static final int LOW_WATER = 512 * 1024;
    /** Places in a batch. */
    private static final int LENGTH_AT = 8;

    private static final int LENGTH_END = 12;
    private static final int COVERED_AT = 21;

    private enum State {
        CONNECTING,
        OPEN,
        CLOSED
    }

    /** A piece of the stream on its way to the other end. */
    private static final class Piece {
        private final Kind kind;
        private final byte[] bytes;
        private final long arrivesNs;

        private Piece(Kind kind, byte[] bytes, long arrivesNs) {
            this.kind = kind;
            this.bytes = bytes;
            this.arrivesNs = arrivesNs;
        }
    }

    private enum Kind {
        OPEN,
        BYTES,
        END,
        RESET
    }

    private final SimTransport transport;
    private final long id;
    private final String remoteAddress;
    private final ByteArrayOutputStream unflushed = new ByteArrayOutputStream();
    /** From here to the peer. */
    private final ArrayDeque<Piece> onTheWay = new ArrayDeque<>();
    /** From the peer, not handed over yet. */
    private final ArrayDeque<byte[]> unread = new ArrayDeque<>();

    private final FrameCutter cutter;
    private @Nullable ConnectionHandler handler;
    private @Nullable SimConnection peer;
    private State state = State.CONNECTING;
    private boolean reading = true;
    private boolean readPosted;
    private boolean endCame;
    private boolean closedByUs;
    private boolean ownerDead;
    private boolean wasUnwritable;
    private boolean closeTold;
    private @Nullable Throwable cause;
    private int bytesOnTheWay;
    private long lastArrivalNs;

    SimConnection(SimTransport transport, String remoteAddress, @Nullable ConnectionHandler handler) {
        this.transport = transport;
        this.id = transport.network().nextId();
        this.remoteAddress = remoteAddress;
        this.handler = handler;
        this.cutter = new FrameCutter(() -> reading && state == State.OPEN, this::onFrame);
        transport.opened(this);
    }

    static void pair(SimConnection a, SimConnection b) {
        a.peer = b;
        b.peer = a;
    }

    SimProcess process() {
        return transport.process();
    }

    @Nullable
    SimConnection peer() {
        return peer;
    }

    boolean isClosed() {
        return state == State.CLOSED;
    }

    boolean isOwnerDead() {
        return ownerDead;
    }

    private String host() {
        return process().machine.host;
    }

    boolean isBetween(String a, String b) {
        SimConnection other = peer;
        return other != null
                && ((host().equals(a) && other.host().equals(b))
                        || (host().equals(b) && other.host().equals(a)));
    }

    private SimScheduler scheduler() {
        return transport.network().world().scheduler();
    }

    private ConnectionHandler handler() {
        ConnectionHandler known = handler;
        if (known == null) {
            throw new IllegalStateException("connection has no handler: connection=" + id);
        }
        return known;
    }

    // Opening.

    void accept(ConnectionHandler accepted) {
        handler = accepted;
        if (state == State.CONNECTING) {
            state = State.OPEN;
            accepted.onOpen(this);
        }
    }

    void sendOpen() {
        send(Kind.OPEN, new byte[0]);
    }

    void failConnecting(Throwable why) {
        if (state == State.CONNECTING && !closeTold) {
            cause = why;
            send(Kind.RESET, new byte[0]);
            endSoon();
        }
    }

    // What the owner does.

    @Override
    public long id() {
        return id;
    }

    @Override
    public String remoteAddress() {
        return remoteAddress;
    }

    @Override
    public boolean isOpen() {
        return state == State.OPEN;
    }

    @Override
    public boolean isWritable() {
        boolean writable = state == State.OPEN && bytesOnTheWay + unflushed.size() < HIGH_WATER;
        wasUnwritable |= !writable;
        return writable;
    }

    @Override
    public void send(DirectBuffer header, int index, int length) {
        if (beginSend(header, index, length, 0)) {
            transport.network().countFrame();
        }
    }

    @Override
    public void send(
            DirectBuffer header, int index, int length, DirectBuffer payload, int payloadIndex, int payloadLength) {
        if (beginSend(header, index, length, payloadLength)) {
            put(payload, payloadIndex, payloadLength);
            transport.network().countFrame();
        }
    }

    @Override
    public void send(DirectBuffer header, int index, int length, LogSlice[] payloads, int count) {
        try {
            long total = 0;
            for (int i = 0; i < count; i++) {
                total += payloads[i].length();
            }
            if (beginSend(header, index, length, total)) {
                for (int i = 0; i < count; i++) {
                    putBatches(payloads[i].buffer(), payloads[i].index(), payloads[i].length());
                }
                transport.network().countFrame();
            }
        } finally {
            for (int i = 0; i < count; i++) {
                payloads[i].close();
            }
        }
    }

    private boolean beginSend(DirectBuffer header, int index, int length, long payloadLength) {
        transport.checkOwner();
        long frameLength = FrameDescriptor.frameLength(length, payloadLength);
        if (frameLength > FrameDescriptor.FRAME_LENGTH_MAX_DEFAULT) {
            throw new TransportException("frame too long to be sent: frameLength=" + frameLength, null);
        }
        if (state != State.OPEN || process().isDead()) {
            return false;
        }
        putInt((int) frameLength);
        putInt(length);
        put(header, index, length);
        return true;
    }

    private void putInt(int value) {
        for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
            unflushed.write(value >>> shift);
        }
    }

    private void put(DirectBuffer source, int index, int length) {
        unflushed.writeBytes(copy(source, index, length));
    }

    /**
     * Batches have a checksum of their own, so that what it covers may be damaged on the way. Offset, length and epoch
     * lie outside of it; they and the messages' headers rest on the checksums of TCP and TLS.
     */
    private void putBatches(DirectBuffer source, int index, int length) {
        byte[] copy = copy(source, index, length);
        SimConnection other = peer;
        if (length > COVERED_AT && other != null && transport.network().isDamaged(host(), other.host())) {
            int end = Math.min(length, LENGTH_END + source.getInt(index + LENGTH_AT, ByteOrder.BIG_ENDIAN));
            int at = COVERED_AT + world().nextInt(Math.max(1, end - COVERED_AT));
            copy[at] ^= (byte) (1 << world().nextInt(Byte.SIZE));
        }
        unflushed.writeBytes(copy);
    }

    private static byte[] copy(DirectBuffer source, int index, int length) {
        byte[] copy = new byte[length];
        source.getBytes(index, copy);
        return copy;
    }

    @Override
    public void flush() {
        transport.checkOwner();
        if (state != State.OPEN || process().isDead()) {
            unflushed.reset();
            return;
        }
        byte[] all = unflushed.toByteArray();
        unflushed.reset();
        int at = 0;
        while (at < all.length) {
            int count = Math.min(
                    all.length - at, transport.network().world().knobs().pieceBytes(world()));
            send(Kind.BYTES, Arrays.copyOfRange(all, at, at + count));
            at += count;
        }
    }

    private java.util.SplittableRandom world() {
        return transport.network().world().random();
    }

    @Override
    public void setReading(boolean on) {
        transport.checkOwner();
        reading = on;
        if (on && (!unread.isEmpty() || endCame || cutter.hasKept())) {
            postRead();
        }
    }

    @Override
    public void close() {
        transport.checkOwner();
        if (state == State.CLOSED) {
            return;
        }
        closedByUs = true;
        Kind last = state == State.OPEN ? Kind.END : Kind.RESET;
        state = State.CLOSED;
        unflushed.reset();
        if (!process().isDead()) {
            send(last, new byte[0]);
        }
        tellClosed();
    }

    // The stream.

    private void send(Kind kind, byte[] bytes) {
        SimConnection other = peer;
        if (other == null) {
            return;
        }
        long latencyNs = transport.network().latencyNs(host(), other.host(), bytes.length);
        long arrivesNs = Math.max(lastArrivalNs, scheduler().nowNs() + latencyNs);
        lastArrivalNs = arrivesNs;
        onTheWay.addLast(new Piece(kind, bytes, arrivesNs));
        bytesOnTheWay += bytes.length;
        scheduler().at(arrivesNs, this::arrive);
    }

    /** What is due arrives, unless the path is cut. */
    private void arrive() {
        SimConnection other = peer;
        if (other == null) {
            return;
        }
        while (!onTheWay.isEmpty()
                && onTheWay.getFirst().arrivesNs <= scheduler().nowNs()) {
            if (transport.network().isCut(host(), other.host()) || !other.process().machine.powered) {
                return;
            }
            other.take(onTheWay.removeFirst());
        }
    }

    /** The peer's buffers take more when it has read. */
    private void handedOver(int count) {
        SimConnection other = peer;
        if (other != null) {
            other.bytesOnTheWay -= count;
            other.noteWritable();
        }
    }

    private void noteWritable() {
        if (wasUnwritable && bytesOnTheWay < LOW_WATER && state == State.OPEN) {
            wasUnwritable = false;
            transport.post(() -> {
                if (state == State.OPEN) {
                    handler().onWritable(this);
                }
            });
        }
    }

    /** Whether nothing can come of this end any more. */
    boolean isSpent() {
        return state == State.CLOSED && onTheWay.isEmpty();
    }

    void retransmit() {
        if (!onTheWay.isEmpty()) {
            SimConnection other = peer;
            String to = other == null ? host() : other.host();
            scheduler().after(transport.network().latencyNs(host(), to, 0), this::arrive);
        }
    }

    private void take(Piece piece) {
        if (ownerDead || (state == State.CLOSED && piece.kind == Kind.BYTES)) {
            resetPeer();
            return;
        }
        switch (piece.kind) {
            case OPEN ->
                transport.post(() -> {
                    if (state == State.CONNECTING) {
                        state = State.OPEN;
                        handler().onOpen(this);
                    }
                });
            case BYTES -> {
                unread.addLast(piece.bytes);
                postRead();
            }
            case END -> {
                endCame = true;
                postRead();
            }
            case RESET -> breakNow("reset by the peer");
        }
    }

    private void resetPeer() {
        SimConnection other = peer;
        if (other != null && !other.isClosed()) {
            other.resetSoon();
        }
    }

    /** A reset comes from the other side after the time of the path, if the path is whole. */
    void resetSoon() {
        SimConnection other = peer;
        String from = other == null ? host() : other.host();
        scheduler().after(transport.network().latencyNs(from, host(), 0), () -> {
            if (!transport.network().isCut(from, host())) {
                breakHere("reset by the peer");
            }
        });
    }

    private void postRead() {
        if (!readPosted) {
            readPosted = true;
            transport.post(this::read);
        }
    }

    private void read() {
        readPosted = false;
        if (state != State.OPEN || !reading) {
            return;
        }
        try {
            boolean any = cutter.hasKept() || !unread.isEmpty();
            if (cutter.hasKept()) {
                cutter.resume();
            }
            while (state == State.OPEN && reading && !unread.isEmpty()) {
                byte[] bytes = unread.removeFirst();
                handedOver(bytes.length);
                cutter.onBytes(bytes);
            }
            if (any && state == State.OPEN) {
                handler().onReadComplete(this);
            }
        } catch (WireFormatException broken) {
            cause = broken;
            SimConnection other = peer;
            if (other != null) {
                send(Kind.END, new byte[0]);
            }
            endSoon();
        }
        if (state == State.OPEN && endCame && unread.isEmpty() && reading) {
            endSoon();
        }
    }

    private void onFrame(Frame frame) {
        transport.network().world().trace().mix(frame.templateId() * 1_000_003L + frame.payloadLength());
        handler().onFrame(this, frame);
    }

    // Ends.

    /** Both ends break at once; what is on the way is lost. */
    void breakNow(String why) {
        SimConnection other = peer;
        breakHere(why);
        if (other != null) {
            other.breakHere(why);
        }
    }

    private void breakHere(String why) {
        if (state != State.CLOSED) {
            onTheWay.clear();
            unread.clear();
            cause = new IOException(why);
            endSoon();
        }
    }

    /** The process that owns this end died: the kernel sends a part of what was flushed, then a reset, or nothing. */
    void ownerDied(boolean kernelTells) {
        ownerDead = true;
        state = State.CLOSED;
        unflushed.reset();
        int keep = onTheWay.isEmpty() ? 0 : world().nextInt(onTheWay.size() + 1);
        while (onTheWay.size() > keep) {
            onTheWay.removeLast();
        }
        if (kernelTells) {
            send(Kind.RESET, new byte[0]);
        }
    }

    private void endSoon() {
        state = State.CLOSED;
        tellClosed();
    }

    /** Later, since the handler must not be called from inside a call of its own. */
    private void tellClosed() {
        if (!closeTold) {
            closeTold = true;
            transport.post(() -> {
                transport.ended(this);
                ConnectionHandler known = handler;
                if (known != null) {
                    known.onClosed(this, closedByUs ? null : cause);
                }
            });
        }
    }
}
