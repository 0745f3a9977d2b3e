package io.tidemark.coordination;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * A transaction: conditional operations that are applied all together or not at all. Every operation has a
 * condition, so that a second sending can do no harm. Immutable; may be committed more than once.
 */
public final class Txn {
    private final List<TxnOp> ops;

    private Txn(List<TxnOp> ops) {
        this.ops = List.copyOf(ops);
    }

    /**
     * Begins a transaction.
     *
     * @return an empty builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * The operations in the order in which they were added.
     *
     * @return at least one operation, unmodifiable
     */
    public List<TxnOp> ops() {
        return ops;
    }

    @Override
    public String toString() {
        return "Txn" + ops;
    }

    /** Collects operations. Not thread-safe. Values are copied. */
    public static final class Builder {
        private final List<TxnOp> ops = new ArrayList<>();

        private Builder() {}

        /**
         * Adds a key that stays. Fails with {@link TxnResult.Kind#EXISTS} if the key holds a value.
         *
         * @param key the key
         * @param value the bytes, may be empty
         * @return this
         */
        public Builder create(Key key, byte[] value) {
            return add(new TxnOp(TxnOp.Kind.CREATE, key, value, null, null));
        }

        /**
         * Adds a key that ends with a session. Fails with {@link TxnResult.Kind#EXISTS} if the key holds a value, and
         * the whole call with {@link SessionExpiredException} if the session has ended; nothing is applied then.
         *
         * @param key the key
         * @param value the bytes, may be empty
         * @param session the owner, opened by the same {@link Coordination}
         * @return this
         */
        public Builder createEphemeral(Key key, byte[] value, Session session) {
            Objects.requireNonNull(session, "session");
            return add(new TxnOp(TxnOp.Kind.CREATE_EPHEMERAL, key, value, null, session));
        }

        /**
         * Replaces a value; an ephemeral key keeps its owner. Fails with {@link TxnResult.Kind#ABSENT} or
         * {@link TxnResult.Kind#VERSION}.
         *
         * @param key the key
         * @param value the bytes, may be empty
         * @param expected the version that the key must have
         * @return this
         */
        public Builder update(Key key, byte[] value, Version expected) {
            Objects.requireNonNull(expected, "expected");
            return add(new TxnOp(TxnOp.Kind.UPDATE, key, value, expected, null));
        }

        /**
         * Removes a key. Fails with {@link TxnResult.Kind#ABSENT} or {@link TxnResult.Kind#VERSION}.
         *
         * @param key the key
         * @param expected the version that the key must have
         * @return this
         */
        public Builder delete(Key key, Version expected) {
            Objects.requireNonNull(expected, "expected");
            return add(new TxnOp(TxnOp.Kind.DELETE, key, null, expected, null));
        }

        /**
         * Demands a version and changes nothing. Fails with {@link TxnResult.Kind#ABSENT} or
         * {@link TxnResult.Kind#VERSION}.
         *
         * @param key the key
         * @param expected the version that the key must have
         * @return this
         */
        public Builder check(Key key, Version expected) {
            Objects.requireNonNull(expected, "expected");
            return add(new TxnOp(TxnOp.Kind.CHECK, key, null, expected, null));
        }

        private Builder add(TxnOp op) {
            ops.add(op);
            return this;
        }

        /**
         * Checks the operations and makes the transaction.
         *
         * @return the transaction
         * @throws IllegalArgumentException if there is no operation, a key is used twice, a key is the root, or a key
         *     lies below another key of the transaction
         * @throws TooLargeException if a limit of {@link Limits#PORTABLE} is exceeded
         */
        public Txn build() {
            if (ops.isEmpty()) {
                throw new IllegalArgumentException("transaction has no operation; add at least one");
            }
            Txn txn = new Txn(ops);
            Limits.PORTABLE.check(txn);
            checkKeys();
            return txn;
        }

        private void checkKeys() {
            Set<Key> keys = new HashSet<>();
            for (TxnOp op : ops) {
                if (op.key().isRoot()) {
                    throw new IllegalArgumentException("the root holds no value: operation=" + op);
                }
                if (!keys.add(op.key())) {
                    throw new IllegalArgumentException("transaction uses a key twice: key=" + op.key());
                }
            }
            for (TxnOp op : ops) {
                for (Key above = op.key().parent(); !above.isRoot(); above = above.parent()) {
                    if (keys.contains(above)) {
                        throw new IllegalArgumentException("a key that holds a value has no children: key=" + above
                                + ", child=" + op.key() + "; do it in two transactions");
                    }
                }
            }
        }
    }
}
