package io.tidemark.coordination;

import java.util.List;

/** What became of a transaction that was decided by the service. */
public sealed interface TxnResult {
    /** Why an operation did not apply. */
    enum Kind {
        /** The key to create holds a value already. */
        EXISTS,
        /** The key to update, delete or check holds no value. */
        ABSENT,
        /** The key has another version than the expected one. */
        VERSION,
        /** The key to create has keys below it, or a key above it holds a value. */
        NOT_A_LEAF
    }

    /**
     * Tells whether the transaction was applied.
     *
     * @return true for {@link Committed}
     */
    default boolean isCommitted() {
        return this instanceof Committed;
    }

    /**
     * All operations were applied.
     *
     * @param revision the revision of the store that this transaction made; for one that only checks, a revision at
     *     which all checks held
     * @param versions one version for each operation, in order: the new one of a create or update, the expected one
     *     of a delete or check; copied
     */
    record Committed(long revision, List<Version> versions) implements TxnResult {
        /**
         * Keeps a copy of the versions.
         *
         * @param revision the revision of the store
         * @param versions one version for each operation
         */
        public Committed {
            versions = List.copyOf(versions);
        }
    }

    /**
     * Nothing was applied. An expected outcome, thus a value and no exception.
     *
     * @param opIndex index of the first operation whose condition did not hold
     * @param kind why it did not
     */
    record Conflict(int opIndex, Kind kind) implements TxnResult {}
}
