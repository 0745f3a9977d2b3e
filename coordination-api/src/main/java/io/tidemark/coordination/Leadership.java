package io.tidemark.coordination;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A won election, see an election. Ends with its session, by {@link #resign}, or when its key is taken away. */
public interface Leadership {
    /**
     * The number of this leadership: persistent, and one higher than that of the leader before. The fencing token for
     * storage and peers.
     *
     * @return the term, at least 1
     */
    long term();

    /**
     * Adds the condition that no later leader was elected. Every write of a leader carries it.
     *
     * @param builder the transaction; the condition becomes its next operation
     * @return the same builder
     */
    Txn.Builder guard(Txn.Builder builder);

    /**
     * Tells whether the leadership is surely held for at least a margin from now, see {@link Session#isValid}.
     *
     * @param margin how much time must be left
     * @return true if so; never true after {@link #lost} has completed
     */
    boolean isValid(Duration margin);

    /**
     * Completes once when the leadership is over, for whatever reason.
     *
     * @return the stage; it never fails
     */
    CompletionStage<@Nullable Void> lost();

    /**
     * Gives the leadership up, so that another may be elected at once.
     *
     * @return completes when the key is gone; {@link #isValid} is false from the call on. Fails like a transaction if
     *     the service cannot be reached; the key then ends with the session
     */
    CompletionStage<@Nullable Void> resign();
}
