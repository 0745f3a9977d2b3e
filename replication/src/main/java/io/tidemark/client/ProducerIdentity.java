package io.tidemark.client;

import org.jspecify.annotations.Nullable;

/**
 * Id and epoch of one idempotent producer. Owned by the client's thread.
 *
 * <table>
 * <caption>Transitions</caption>
 * <tr><th>from</th><th>event</th><th>to</th></tr>
 * <tr><td>ASKING</td><td>id and epoch granted</td><td>READY, and all sequences start at 0</td></tr>
 * <tr><td>READY</td><td>a sequence is missing, or may be</td><td>DRAINING</td></tr>
 * <tr><td>DRAINING</td><td>no batch is left that may be stored unknown to us</td><td>ASKING</td></tr>
 * </table>
 *
 * While DRAINING no new batch is stamped, and only batches that may be stored already are sent again, under the epoch
 * that they had. A batch that gets a new sequence while an earlier copy of it may be in the log would be stored
 * twice.
 */
final class ProducerIdentity {
    /** Names that stand for "no producer". */
    static final InitProducerIdCall.Granted NOBODY = new InitProducerIdCall.Granted(-1, (short) -1);

    private static final long CALL_NS = 10_000_000_000L;

    private enum State {
        ASKING,
        READY,
        DRAINING
    }

    private final boolean idempotent;
    private State state;
    private InitProducerIdCall.Granted granted = NOBODY;
    private InitProducerIdCall.Granted previous = NOBODY;
    private @Nullable InitProducerIdCall call;
    private long term;

    /**
     * An identity that was not granted yet.
     *
     * @param idempotent false for a producer that needs none
     */
    ProducerIdentity(boolean idempotent) {
        this.idempotent = idempotent;
        this.state = idempotent ? State.ASKING : State.READY;
    }

    /**
     * Whether sequences are kept.
     *
     * @return false for a producer that needs no identity
     */
    boolean isIdempotent() {
        return idempotent;
    }

    /**
     * Whether new batches may be stamped and sent.
     *
     * @return false while asking or draining
     */
    boolean isReady() {
        return state == State.READY;
    }

    /**
     * Whether the epoch is to be raised as soon as nothing is ambiguous any more.
     *
     * @return true until that
     */
    boolean isDraining() {
        return state == State.DRAINING;
    }

    /**
     * Id and epoch in use.
     *
     * @return {@link #NOBODY} if not idempotent
     */
    InitProducerIdCall.Granted granted() {
        return granted;
    }

    /**
     * Number of the identity in use, in which sequences start at 0.
     *
     * @return grows with every identity granted
     */
    long term() {
        return term;
    }

    /**
     * Wants a new epoch.
     *
     * @param newId whether even the id is of no use any more
     */
    void raiseEpoch(boolean newId) {
        if (!idempotent) {
            return;
        }
        if (newId) {
            previous = NOBODY;
        }
        if (state == State.READY) {
            state = State.DRAINING;
        }
    }

    /** Nothing is ambiguous any more: the next {@link #tick} asks. */
    void drained() {
        state = State.ASKING;
    }

    /**
     * Asks, and takes the answer.
     *
     * @param calls to ask by
     * @param nowNs now
     * @return true if an identity was granted just now: all sequences start at 0
     */
    boolean tick(Calls calls, long nowNs) {
        if (state != State.ASKING) {
            return false;
        }
        final InitProducerIdCall running = call;
        if (running == null) {
            call = calls.add(new InitProducerIdCall(previous, Deadlines.after(nowNs, CALL_NS)));
            return false;
        }
        if (!running.result().isDone()) {
            return false;
        }
        call = null;
        if (running.result().isCompletedExceptionally()) {
            return false;
        }
        granted = running.result().join();
        previous = granted;
        state = State.READY;
        term++;
        return true;
    }
}
