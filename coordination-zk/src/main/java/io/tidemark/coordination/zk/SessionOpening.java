package io.tidemark.coordination.zk;

import io.tidemark.coordination.ConnectionLostException;
import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.Session;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Opens a session: connects, sends a first heartbeat, and begins the session when it is answered, since only then the
 * time of a renewal is known. Passes on to the session what happens to its connection later. Owned by the loop.
 */
final class SessionOpening implements ZkHandle.Listener, ZkHandle.Waiting {
    private final ZkSession.Owner owner;
    private final ZkCall<Session> call;
    private final ZkHandle handle;
    private final Consumer<SessionOpening> onGone;
    private @Nullable ZkSession session;
    private boolean over;

    /**
     * Prepares to open.
     *
     * @param owner the client
     * @param call the call
     * @param ttl the time to live to ask for
     * @param onGone is told when the session has ended, or will not be
     */
    SessionOpening(ZkSession.Owner owner, ZkCall<Session> call, Duration ttl, Consumer<SessionOpening> onGone) {
        this.owner = owner;
        this.call = call;
        this.onGone = onGone;
        this.handle = new ZkHandle(owner.context(), Math.toIntExact(ttl.toMillis()), this);
    }

    /** Begins to connect. */
    void start() {
        handle.connect();
        handle.whenUp(this);
    }

    @Override
    public boolean isOver() {
        return over;
    }

    @Override
    public void go(RevisionClient client) {
        long sentNs = owner.context().config().nanoClock().getAsLong();
        client.agree(reply -> {
            if (over) {
                return;
            }
            if (reply.isFromQuorum()) {
                begin(client, sentNs);
            } else if (reply.isAnswered()) {
                call.failRefused(reply.code());
            } else {
                handle.unanswered(client);
                handle.whenUp(this);
            }
        });
    }

    private void begin(RevisionClient client, long sentNs) {
        Duration ttl = Duration.ofMillis(client.getSessionTimeout());
        ZkSession opened = new ZkSession(client.getSessionId(), ttl, sentNs, owner, handle, () -> onGone.accept(this));
        over = true;
        session = opened;
        opened.start();
        if (!call.settle(opened)) {
            opened.closeOnLoop();
        }
    }

    /** The call has ended; if it was without a session, gives up. */
    void callEnded() {
        if (!over) {
            over = true;
            handle.close(failure -> onGone.accept(this));
        }
    }

    /** Closes the session, or gives up to open it. */
    void close() {
        ZkSession opened = session;
        if (opened != null) {
            opened.closeOnLoop();
        } else {
            callEnded();
        }
    }

    /** Ends the session as the client has broken. */
    void fence() {
        ZkSession opened = session;
        if (opened != null) {
            opened.expired();
        }
    }

    @Override
    public void refuse(CoordinationException cause) {
        call.fail(cause);
    }

    @Override
    public void onUp(RevisionClient client) {
        ZkSession opened = session;
        if (opened != null) {
            opened.onUp(client);
        }
    }

    @Override
    public void onDown() {
        ZkSession opened = session;
        if (opened != null) {
            opened.suspended();
        }
    }

    @Override
    public void onExpired() {
        ZkSession opened = session;
        if (opened != null) {
            opened.expired();
        } else {
            call.fail(new ConnectionLostException("ZooKeeper ended a session while it was opened: servers="
                    + owner.context().address().servers() + "; try again"));
        }
    }
}
