package io.tidemark.conductor;

import io.tidemark.coordination.Session;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the lane's right to acknowledge rests on: a session that is certainly valid for a while. Written by the
 * conductor, read by any thread.
 */
final class LeaseHolder {
    /** The lease must be valid for this part of the time to live, so that a late renewal is noticed in time. */
    private static final int MARGIN_DIVISOR = 3;

    private volatile @Nullable Lease lease;

    private record Lease(Session session, Duration margin) {}

    /** There is none. */
    LeaseHolder() {}

    /**
     * A life began.
     *
     * @param session its session
     */
    void begin(Session session) {
        lease = new Lease(session, session.ttl().dividedBy(MARGIN_DIVISOR));
    }

    /** The life is over. */
    void end() {
        lease = null;
    }

    /**
     * Whether this broker is in a life.
     *
     * @return true from its beginning to its end
     */
    boolean isHeld() {
        return lease != null;
    }

    /**
     * Whether acknowledging is safe. Any thread; cheap.
     *
     * @return false from the moment on at which others may have taken over
     */
    boolean isValid() {
        Lease current = lease;
        return current != null && current.session().isValid(current.margin());
    }
}
