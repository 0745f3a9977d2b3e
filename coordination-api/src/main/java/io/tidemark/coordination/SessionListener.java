package io.tidemark.coordination;

/**
 * Receives the states of a {@link Session}: the current one first, then each change, in order, on the callback
 * executor.
 */
@FunctionalInterface
public interface SessionListener {
    /**
     * The session is in a state now.
     *
     * @param session the session
     * @param state its state at the time of the change; {@link Session#state} may be further already
     */
    void onState(Session session, Session.State state);
}
