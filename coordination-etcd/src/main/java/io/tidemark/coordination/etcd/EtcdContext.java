package io.tidemark.coordination.etcd;

import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.spi.CallbackExecutor;
import java.util.function.Consumer;

/** What the parts of one client share. Any thread, but for the revision. */
final class EtcdContext {
    private final EtcdAddress address;
    private final EtcdKeys keys;
    private final CoordinationConfig config;
    private final CallbackExecutor callbacks;
    private final EtcdLoop loop;
    /** The highest revision that was seen; owned by the loop. */
    private long revisionSeen;

    /**
     * Makes what is shared.
     *
     * @param address where the members are
     * @param config the configuration of the client
     * @param onFault is told, on the loop, of a broken invariant
     */
    EtcdContext(EtcdAddress address, CoordinationConfig config, Consumer<Throwable> onFault) {
        this.address = address;
        this.keys = new EtcdKeys(address.prefix());
        this.config = config;
        this.callbacks = new CallbackExecutor(config);
        this.loop = new EtcdLoop(config.clientName() + "-etcd", onFault);
    }

    /** {@return where the members are} */
    EtcdAddress address() {
        return address;
    }

    /** {@return what turns keys into etcd's} */
    EtcdKeys keys() {
        return keys;
    }

    /** {@return the configuration of the client} */
    CoordinationConfig config() {
        return config;
    }

    /** {@return where users are called back} */
    CallbackExecutor callbacks() {
        return callbacks;
    }

    /** {@return the thread that owns all state} */
    EtcdLoop loop() {
        return loop;
    }

    /** {@return the time by the clock of the configuration, in nanoseconds} */
    long nowNs() {
        return config.nanoClock().getAsLong();
    }

    /** {@return the deadline of a request, in nanoseconds} */
    long timeoutNs() {
        return config.operationTimeout().toNanos();
    }

    /** {@return the highest revision that was seen, which no read of this client may fall behind} */
    long revisionSeen() {
        return revisionSeen;
    }

    /**
     * Something was seen.
     *
     * @param revision its revision
     */
    void saw(long revision) {
        revisionSeen = Math.max(revisionSeen, revision);
    }
}
