package io.tidemark.conductor;

import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.OutcomeUnknownException;
import io.tidemark.coordination.ReadMode;
import io.tidemark.coordination.Txn;
import io.tidemark.metadata.MetadataFormatException;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.metadata.MetadataKeys;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * Gives out producer ids that no other broker gives out: takes whole blocks from the coordination service by
 * conditional writes, and hands out one id after another. A block that was taken by a write with an unknown outcome is
 * left alone; ids are plenty. Owned by the conductor.
 */
final class ProducerIds {
    /** Ids in one block. */
    static final long BLOCK_SIZE = 1000;

    /** Requests that may wait for a block. */
    static final int WAITING_MAX = 1024;

    private final Coordination coordination;
    private final CoordinationCalls calls;
    private final Deque<Receiver> waiting = new ArrayDeque<>();
    private long nextId;
    private long blockEnd;
    private boolean isFetching;

    /** Is given an id. Called on the conductor. */
    interface Receiver {
        /**
         * An id that nobody else has.
         *
         * @param producerId the id
         */
        void given(long producerId);

        /**
         * There is no id now.
         *
         * @param cause why
         */
        void failed(Throwable cause);
    }

    /**
     * Begins without a block.
     *
     * @param coordination the service
     * @param calls continues its calls on the conductor
     */
    ProducerIds(Coordination coordination, CoordinationCalls calls) {
        this.coordination = coordination;
        this.calls = calls;
    }

    /**
     * Asks for an id.
     *
     * @param receiver is given it, at once or later
     * @return false if too many wait already; the receiver is not called then
     */
    boolean next(Receiver receiver) {
        if (waiting.size() >= WAITING_MAX) {
            return false;
        }
        waiting.add(receiver);
        serve();
        return true;
    }

    private void serve() {
        while (!waiting.isEmpty() && nextId < blockEnd) {
            waiting.remove().given(nextId++);
        }
        if (!waiting.isEmpty() && !isFetching) {
            isFetching = true;
            Key key = MetadataKeys.PRODUCER_IDS;
            calls.then(coordination.get(key, ReadMode.LINEARIZABLE), this::take, this::failed);
        }
    }

    private void take(Optional<Entry> found) {
        Key key = MetadataKeys.PRODUCER_IDS;
        Txn.Builder txn = Txn.builder();
        long first;
        try {
            first = found.map(entry -> MetadataJson.decodeNumber(key.path(), entry.value()))
                    .orElse(0L);
        } catch (MetadataFormatException broken) {
            failed(broken);
            return;
        }
        byte[] value = MetadataJson.encodeNumber(first + BLOCK_SIZE);
        if (found.isPresent()) {
            txn.update(key, value, found.get().version());
        } else {
            txn.create(key, value);
        }
        calls.then(
                coordination.commit(txn.build()),
                result -> {
                    isFetching = false;
                    if (result.isCommitted()) {
                        nextId = first;
                        blockEnd = first + BLOCK_SIZE;
                    }
                    serve();
                },
                failure -> {
                    if (failure instanceof OutcomeUnknownException) {
                        isFetching = false;
                        serve();
                    } else {
                        failed(failure);
                    }
                });
    }

    private void failed(Throwable cause) {
        isFetching = false;
        int count = waiting.size();
        for (int i = 0; i < count; i++) {
            waiting.remove().failed(cause);
        }
    }
}
