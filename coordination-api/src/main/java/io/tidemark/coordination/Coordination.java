package io.tidemark.coordination;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * A client of a coordination service. Safe for use from any thread.
 *
 * <p><b>Threads.</b> What hangs on a returned stage runs on the callback executor of {@link CoordinationConfig},
 * or, if the stage has ended already, in the thread that attaches it; never on a thread of a client library. Waiting
 * for a stage returned here is allowed anywhere, also inside a callback; to wait there for a stage <em>derived</em>
 * from it, the executor needs more than one thread. A returned stage must not be completed by its receiver.
 * <b>Deadlines.</b> Every call ends by the operation timeout. <b>Failures.</b> Misuse is thrown at once; everything
 * else completes the stage with a {@link CoordinationException}: {@link ConnectionLostException} means that nothing
 * was sent or a read had no answer, {@link OutcomeUnknownException} that a write may have been applied,
 * {@link CoordinationClosedException} that the client is closed.
 */
public interface Coordination extends AutoCloseable {
    /**
     * Opens a session.
     *
     * @param ttl how long the session outlives its last renewal; brought into the range of {@link #limits}
     * @return the session, CONNECTED
     * @throws IllegalArgumentException if the time is not positive
     */
    CompletionStage<Session> openSession(Duration ttl);

    /**
     * Reads one key.
     *
     * @param key the key
     * @param mode how fresh the answer must be
     * @return the entry, or empty if the key holds no value
     */
    CompletionStage<Optional<Entry>> get(Key key, ReadMode mode);

    /**
     * Reads the entries directly below a directory; implied parents are not shown. Not one moment of the store unless
     * {@link #capabilities} has {@link Capability#ATOMIC_LIST}.
     *
     * @param dir the directory, need not exist
     * @param mode how fresh the answer must be
     * @return the entries, sorted by key
     */
    CompletionStage<Listing> list(Key dir, ReadMode mode);

    /**
     * Applies a transaction, all of it or nothing. It is never sent a second time once it may have been sent.
     *
     * @param txn the transaction
     * @return what the service decided; fails with {@link OutcomeUnknownException} if that is not known,
     *     {@link SessionExpiredException}, {@link TooLargeException} or {@link AccessDeniedException} with nothing
     *     applied
     * @throws IllegalArgumentException if an ephemeral key names a session of another client
     */
    CompletionStage<TxnResult> commit(Txn txn);

    /**
     * Watches a key and everything below it, at any depth. First comes a snapshot, then changes; a new snapshot
     * follows every gap. The directory need not exist. Few broad watches are cheaper than many narrow ones.
     *
     * @param dir the top of the subtree; {@link Key#ROOT} for the whole store
     * @param listener the receiver
     * @return the watch, to be closed by the caller; ends with this client at the latest
     */
    Watch watch(Key dir, WatchListener listener);

    /**
     * What this back end can take.
     *
     * @return the limits, none below {@link Limits#PORTABLE} but for the times to live
     */
    Limits limits();

    /**
     * What this back end promises beyond the common contract.
     *
     * @return the capabilities, unmodifiable
     */
    Set<Capability> capabilities();

    /**
     * Closes the sessions and watches of this client and ends its threads, within the deadline of a call. Calls in
     * flight fail. Idempotent.
     */
    @Override
    void close();
}
