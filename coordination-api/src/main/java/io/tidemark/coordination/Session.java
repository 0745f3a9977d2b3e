package io.tidemark.coordination;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One incarnation of a client at the service; its ephemeral keys end with it. A session never revives: after
 * {@link State#EXPIRED} or {@link State#CLOSED} a new one must be opened, and everything built on the old one anew.
 *
 * <p>The owner's own clock decides how long it may act: {@link #isValid} is false in time even when no message comes
 * through, and the service removes the ephemeral keys later than that.
 *
 * <table>
 * <caption>Transitions</caption>
 * <tr><th>from</th><th>to</th><th>when</th></tr>
 * <tr><td>CONNECTED</td><td>SUSPENDED</td><td>the connection is lost or renewals go unanswered</td></tr>
 * <tr><td>SUSPENDED</td><td>CONNECTED</td><td>a renewal is confirmed before the deadline</td></tr>
 * <tr><td>CONNECTED, SUSPENDED</td><td>EXPIRED</td><td>the service said so, or the local deadline passed</td></tr>
 * <tr><td>CONNECTED, SUSPENDED</td><td>CLOSED</td><td>closed by its owner</td></tr>
 * </table>
 */
public interface Session extends AutoCloseable {
    /** Where a session stands. */
    enum State {
        /** Renewals are confirmed. */
        CONNECTED,
        /** The service is out of reach; the session may or may not outlive this. */
        SUSPENDED,
        /** Ended by the service or by the local deadline. Final. */
        EXPIRED,
        /** Ended by its owner. Final. */
        CLOSED;

        /**
         * Tells whether this state is never left.
         *
         * @return true for {@link #EXPIRED} and {@link #CLOSED}
         */
        public boolean isFinal() {
            return this == EXPIRED || this == CLOSED;
        }
    }

    /**
     * The number by which the service knows this session.
     *
     * @return the id, unique in the store
     */
    long id();

    /**
     * The time to live that the service granted.
     *
     * @return the wish, brought into the range of {@link Limits}
     */
    Duration ttl();

    /**
     * Where the session stands.
     *
     * @return the state
     */
    State state();

    /**
     * Tells whether the session is surely alive for at least a margin from now: the sending time of the last
     * confirmed renewal plus the time to live less the margin lies ahead, by the monotonic clock. True also while
     * the service is out of reach, as long as that holds; never true again after it was false for margin zero.
     * Cheap; never blocks.
     *
     * @param margin how much time must be left, not negative
     * @return true if so
     */
    boolean isValid(Duration margin);

    /**
     * Adds a listener. It is told the current state first, then each change.
     *
     * @param listener the listener
     */
    void addListener(SessionListener listener);

    /**
     * Completes once, with the final state, when the service or the local deadline ended the session or its owner
     * closed it.
     *
     * @return the stage; it never fails
     */
    CompletionStage<State> terminated();

    /**
     * Closes the session and has its ephemeral keys removed.
     *
     * @return completes when the ephemeral keys are gone; fails with {@link ConnectionLostException} or
     *     {@link OutcomeUnknownException} if the service did not confirm it within the deadline (they then end with
     *     the time to live). The session is CLOSED in every case
     */
    CompletionStage<@Nullable Void> closeAsync();

    /**
     * Closes like {@link #closeAsync} and waits for its end, within the deadline of a call. Idempotent; throws
     * nothing.
     */
    @Override
    void close();
}
