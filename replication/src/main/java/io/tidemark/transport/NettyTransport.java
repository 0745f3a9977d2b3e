package io.tidemark.transport;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.Future;
import io.tidemark.wire.FrameDescriptor;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.UnresolvedAddressException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * TCP by Netty, without a thread of Netty's: the event loop runs inside {@link #poll()} and {@link #park(long)} of the
 * owner's thread, over native epoll where there is one, else over NIO. It starts no thread and keeps no memory after
 * {@link #close()}.
 *
 * <p>A wake-up sets a flag which only {@link #park(long)} takes back, and puts a task into the loop: Netty's own
 * wake-up is lost when nobody waits at that moment. The flag, not the task, is what makes it sticky, since {@link
 * #poll()} runs the task too.
 */
public final class NettyTransport implements Transport {
    private static final int BACKLOG = 1024;
    private static final WriteBufferWaterMark WATER_MARKS = new WriteBufferWaterMark(512 * 1024, 2 * 1024 * 1024);

    private final String name;
    private final int frameLengthMax;
    private final boolean epoll = Epoll.isAvailable();
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final ChunkPool chunks = new ChunkPool(allocator);
    private final ReceiveBuffer receiveBuffer = new ReceiveBuffer(allocator);
    private final ManualIoEventLoop loop;
    private final AtomicBoolean wakeRequested = new AtomicBoolean();
    private final List<Channel> listeners = new ArrayList<>();
    private final Set<NettyConnection> connections = new HashSet<>();
    private final ArrayDeque<Runnable> deferred = new ArrayDeque<>();
    private long nextConnectionId = 1;
    private boolean running;
    private boolean closed;
    private @Nullable Throwable failure;

    /**
     * Opens a transport for the calling thread.
     *
     * @param name of the owner, for messages
     * @param frameLengthMax largest frame length sent and accepted
     */
    public NettyTransport(String name, int frameLengthMax) {
        this.name = name;
        this.frameLengthMax = frameLengthMax;
        final IoHandlerFactory handlers = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        this.loop = new ManualIoEventLoop(Thread.currentThread(), handlers);
    }

    /**
     * Opens such transports with the default frame limit.
     *
     * @return a factory that any number of agents may use
     */
    public static TransportFactory factory() {
        return factory(FrameDescriptor.FRAME_LENGTH_MAX_DEFAULT);
    }

    /**
     * Opens such transports.
     *
     * @param frameLengthMax largest frame length sent and accepted
     * @return a factory that any number of agents may use
     */
    public static TransportFactory factory(int frameLengthMax) {
        return name -> new NettyTransport(name, frameLengthMax);
    }

    @Override
    public int poll() {
        return run(-1);
    }

    @Override
    public void park(long timeoutNs) {
        final boolean wait = timeoutNs > 0 && deferred.isEmpty() && !wakeRequested.get();
        try {
            run(wait ? timeoutNs : -1);
        } finally {
            // Reading the flag as it is cleared makes what the waker published before visible to the owner.
            wakeRequested.getAndSet(false);
        }
    }

    @Override
    public void wakeUp() {
        // The read-modify-write is a full fence: what the caller published before is visible to an owner that clears
        // the flag later, so a wake-up that finds the flag set may be left out.
        if (!wakeRequested.getAndSet(true) && !loop.isShuttingDown()) {
            loop.execute(NettyTransport::awake);
        }
    }

    private static void awake() {
        // Being run is all that it is for.
    }

    private int run(long waitNs) {
        checkOpen();
        checkNotRunning();
        running = true;
        try {
            int work = waitNs > 0 ? loop.run(waitNs) : loop.runNow();
            work += runDeferred();
            throwFailure();
            return work;
        } finally {
            running = false;
        }
    }

    private int runDeferred() {
        final int count = deferred.size();
        for (int i = 0; i < count; i++) {
            deferred.remove().run();
        }
        return count;
    }

    private void throwFailure() {
        final Throwable thrown = failure;
        failure = null;
        if (thrown instanceof RuntimeException exception) {
            throw exception;
        }
        if (thrown instanceof Error error) {
            throw error;
        }
        if (thrown != null) {
            throw new TransportException("network handler failed: transport=" + name + ", cause=" + thrown, thrown);
        }
    }

    @Override
    public InetSocketAddress listen(String host, int port, Function<Connection, ConnectionHandler> acceptor) {
        checkOpen();
        final InetSocketAddress address = new InetSocketAddress(host, port);
        if (address.isUnresolved()) {
            throw new TransportException(
                    "cannot listen: address=" + host + ":" + port
                            + ", cause=unknown host; give a name or address of this machine",
                    null);
        }
        final ChannelFuture bound = new ServerBootstrap()
                .group(loop)
                .channelFactory(() -> epoll ? new EpollServerSocketChannel() : new NioServerSocketChannel())
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        configure(channel);
                        final NettyConnection connection = register(channel, text(channel.remoteAddress(), "unknown"));
                        connection.handler(acceptor.apply(connection));
                        channel.pipeline().addLast(connection.events());
                    }
                })
                .bind(address);
        while (!bound.isDone()) {
            // Runs tasks only, so that no handler is called from here.
            loop.runNonBlockingTasks(0);
        }
        final Throwable cause = bound.cause();
        if (cause != null) {
            throw new TransportException(bindFailure(host + ":" + port, cause), cause);
        }
        listeners.add(bound.channel());
        return (InetSocketAddress) bound.channel().localAddress();
    }

    private static String bindFailure(String address, Throwable cause) {
        final String text = String.valueOf(cause.getMessage());
        final String advice = text.contains("in use")
                ? "port in use: stop the process that listens there, or give another port"
                : "give a host and port of this machine that this user may listen on";
        return "cannot listen: address=" + address + ", cause=" + text + "; " + advice;
    }

    @Override
    public Connection connect(String host, int port, long timeoutNs, ConnectionHandler handler) {
        checkOpen();
        final Channel channel = epoll ? new EpollSocketChannel() : new NioSocketChannel();
        configure(channel);
        final String peer = host + ":" + port;
        final NettyConnection connection = register(channel, peer);
        connection.handler(handler);
        final InetSocketAddress address = new InetSocketAddress(host, port);
        final long timeoutMs = Math.max(1, TimeUnit.NANOSECONDS.toMillis(timeoutNs));
        channel.config().setConnectTimeoutMillis((int) Math.min(Integer.MAX_VALUE, timeoutMs));
        final ChannelFuture unused = new Bootstrap()
                .group(loop)
                // Resolvers are shared by the whole process and start a thread when a loop ends.
                .disableResolver()
                .channelFactory(() -> channel)
                .handler(connection.events())
                .connect(address)
                .addListener(done -> {
                    final Throwable cause = done.cause();
                    if (cause != null) {
                        connection.closeFor(connectFailure(peer, timeoutMs, cause));
                    }
                });
        return connection;
    }

    private static Throwable connectFailure(String peer, long timeoutMs, Throwable cause) {
        if (cause instanceof ConnectTimeoutException) {
            return new TransportException("cannot connect: address=" + peer + ", timeoutMs=" + timeoutMs, cause);
        }
        final String text =
                cause instanceof UnresolvedAddressException ? "unknown host" : String.valueOf(cause.getMessage());
        // Only what surely is a refusal counts as one: it is taken as evidence that the process is dead.
        if (cause instanceof ConnectException && (text.contains("refused") || text.contains("error(-111)"))) {
            return new ConnectionRefusedException("connection refused: address=" + peer, cause);
        }
        return new TransportException("cannot connect: address=" + peer + ", cause=" + text, cause);
    }

    private void configure(Channel channel) {
        channel.config().setAllocator(allocator);
        channel.config().setRecvByteBufAllocator(receiveBuffer);
        channel.config().setWriteBufferWaterMark(WATER_MARKS);
        channel.config().setOption(ChannelOption.TCP_NODELAY, true);
    }

    private NettyConnection register(Channel channel, String peer) {
        final NettyConnection connection = new NettyConnection(this, nextConnectionId++, channel, peer);
        connections.add(connection);
        return connection;
    }

    /**
     * Forgets a connection that is closed.
     *
     * @param connection of this transport
     */
    void onConnectionClosed(NettyConnection connection) {
        connections.remove(connection);
    }

    /**
     * Runs something after the network events of this or the next round.
     *
     * @param task to run on the owner's thread
     */
    void defer(Runnable task) {
        deferred.add(task);
    }

    /**
     * Keeps what a handler threw, to be thrown to the owner; only the first is kept.
     *
     * @param thrown by a handler
     */
    void fail(Throwable thrown) {
        if (failure == null) {
            failure = thrown;
        }
    }

    /**
     * Whether the loop runs, so that handlers may be called.
     *
     * @return true inside {@link #poll()} and {@link #park(long)}
     */
    boolean isRunning() {
        return running;
    }

    /**
     * Memory for frames to be sent.
     *
     * @return the pool of this transport
     */
    ChunkPool chunks() {
        return chunks;
    }

    /**
     * The bytes of the read that is being handled.
     *
     * @return the view of the receive buffer
     */
    DirectBuffer received() {
        return receiveBuffer.view();
    }

    /**
     * Largest frame length sent and accepted.
     *
     * @return bytes
     */
    int frameLengthMax() {
        return frameLengthMax;
    }

    /**
     * Direct memory that this transport holds now.
     *
     * @return bytes; 0 after {@link #close()}
     */
    long directMemoryBytes() {
        return allocator.metric().usedDirectMemory();
    }

    /** Checks that the owner's thread calls. */
    void checkOwner() {
        if (!loop.inEventLoop(Thread.currentThread())) {
            throw new IllegalStateException("transport used by another thread than its owner: transport=" + name
                    + ", thread=" + Thread.currentThread().getName());
        }
    }

    private void checkOpen() {
        checkOwner();
        if (closed) {
            throw new IllegalStateException("transport is closed: transport=" + name);
        }
    }

    private void checkNotRunning() {
        if (running) {
            throw new IllegalStateException(
                    "transport polled, parked or closed by one of its own handlers: transport=" + name);
        }
    }

    @Override
    public void close() {
        checkOwner();
        if (closed) {
            return;
        }
        checkNotRunning();
        closed = true;
        for (Channel listener : listeners) {
            final ChannelFuture unused = listener.close();
        }
        List.copyOf(connections).forEach(NettyConnection::close);
        try {
            while (!connections.isEmpty() || !deferred.isEmpty()) {
                loop.runNow();
                runDeferredToTheLast();
            }
            throwFailure();
        } finally {
            final Future<?> unused = loop.shutdownGracefully(0, 0, TimeUnit.NANOSECONDS);
            while (!loop.isTerminated()) {
                loop.runNow();
            }
            chunks.close();
            receiveBuffer.release();
        }
    }

    private void runDeferredToTheLast() {
        while (!deferred.isEmpty()) {
            try {
                runDeferred();
            } catch (RuntimeException e) {
                // The others must hear of their end all the same; thrown when all have.
                fail(e);
            }
        }
    }

    /**
     * An address as people write it.
     *
     * @param address of a peer, or null if it is gone
     * @param otherwise what to say then
     * @return host:port
     */
    static String text(@Nullable SocketAddress address, String otherwise) {
        if (address instanceof InetSocketAddress inet) {
            return inet.getAddress().getHostAddress() + ":" + inet.getPort();
        }
        return otherwise;
    }
}
