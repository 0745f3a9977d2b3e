package io.tidemark.coordination.etcd;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.spi.SystemSeam;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Makes the channels of one client, all on one network thread of its own, which begins with the first. Owned by the
 * loop.
 */
final class EtcdNetwork {
    /** A page of {@link SubtreeReader#PAGE_KEYS} largest values, and more. */
    private static final int ANSWER_BYTES_MAX = 128 * 1024 * 1024;
    /** The least that gRPC and etcd allow. */
    private static final long PING_SECONDS = 10;
    /** gRPC takes this for never. */
    private static final long IDLE_DAYS = 365;

    private final CoordinationConfig config;
    private @Nullable EventLoopGroup group;

    /**
     * Prepares the network.
     *
     * @param config names the thread and gives the timeouts
     */
    EtcdNetwork(CoordinationConfig config) {
        this.config = config;
    }

    /**
     * Makes a channel that connects with its first request.
     *
     * @param member to whom
     * @param tls encrypts; null for a plain connection
     * @return the channel
     */
    ManagedChannel channel(EtcdAddress.Member member, @Nullable SslContext tls) {
        long connectMs = config.connectTimeout().toMillis();
        NettyChannelBuilder builder = NettyChannelBuilder.forAddress(member.plainHost(), member.port())
                .eventLoopGroup(group())
                .channelType(NioSocketChannel.class)
                .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, Math.toIntExact(connectMs))
                .maxInboundMessageSize(ANSWER_BYTES_MAX)
                .keepAliveTime(PING_SECONDS, TimeUnit.SECONDS)
                .keepAliveTimeout(connectMs, TimeUnit.MILLISECONDS)
                .directExecutor();
        // A write that was sent must not be sent again, and a silent connection is no reason to drop it.
        builder.disableRetry().idleTimeout(IDLE_DAYS, TimeUnit.DAYS);
        return tls == null
                ? builder.usePlaintext().build()
                : builder.sslContext(tls).build();
    }

    private EventLoopGroup group() {
        EventLoopGroup running = group;
        if (running == null) {
            String name = config.clientName() + "-etcd-network";
            ThreadFactory threads = task -> SystemSeam.newDaemonThread(name, task);
            running = new MultiThreadIoEventLoopGroup(1, threads, NioIoHandler.newFactory());
            group = running;
        }
        return running;
    }

    /**
     * Ends the network thread; the channels must have been closed before.
     *
     * @param timeout how long to wait for it
     * @return whether it has ended
     */
    boolean shutDown(Duration timeout) {
        EventLoopGroup running = group;
        if (running == null) {
            return true;
        }
        try {
            return running.shutdownGracefully(0, timeout.toNanos(), TimeUnit.NANOSECONDS)
                    .await(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
