package io.tidemark.coordination.local;

import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.spi.BackendSession;
import io.tidemark.coordination.spi.CallbackExecutor;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A session at a {@link LocalStore}. */
final class LocalSession extends BackendSession {
    private final LocalCoordination owner;
    /** When the last confirmed renewal was sent, by the client's clock. */
    private volatile long renewedNs;

    /**
     * Begins a session.
     *
     * @param owner the client
     * @param id the number given by the store
     * @param ttl the time to live granted
     * @param sentNs when the client asked
     * @param config the client's configuration
     * @param callbacks where listeners run
     */
    LocalSession(
            LocalCoordination owner,
            long id,
            Duration ttl,
            long sentNs,
            CoordinationConfig config,
            CallbackExecutor callbacks) {
        super(id, ttl, sentNs, config, callbacks);
        this.owner = owner;
        this.renewedNs = sentNs;
    }

    /**
     * The client that opened this session.
     *
     * @return the client
     */
    LocalCoordination owner() {
        return owner;
    }

    /**
     * When the last confirmed renewal was sent.
     *
     * @return nanoseconds of the client's clock
     */
    long renewedNs() {
        return renewedNs;
    }

    /**
     * A renewal was confirmed.
     *
     * @param sentNs when it was sent
     */
    void renew(long sentNs) {
        if (renewed(sentNs)) {
            renewedNs = sentNs;
        }
    }

    @Override
    public CompletionStage<@Nullable Void> closeAsync() {
        return owner.closeSession(this);
    }

    @Override
    protected void onEnded(State last) {
        owner.forget(this);
    }
}
