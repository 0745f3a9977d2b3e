package io.tidemark.coordination;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One operation of a {@link Txn}, as a back end reads it. Immutable. */
public final class TxnOp {
    private static final byte[] NO_VALUE = {};

    /** What an operation does, and on which condition. */
    public enum Kind {
        /** Writes a new key that stays; the key must be absent. Has a value. */
        CREATE,
        /** Writes a new key that ends with its session; the key must be absent. Has a value and a session. */
        CREATE_EPHEMERAL,
        /**
         * Replaces the value; the version must match. An ephemeral key keeps its owner. Has a value and a version.
         */
        UPDATE,
        /** Removes the key; the version must match. Has a version. */
        DELETE,
        /** Changes nothing; the version must match. Has a version. */
        CHECK
    }

    private final Kind kind;
    private final Key key;
    private final byte[] value;
    private final @Nullable Version expected;
    private final @Nullable Session session;

    /**
     * Makes an operation; only the builder of {@link Txn} does.
     *
     * @param kind what it does
     * @param key the key
     * @param value the bytes to write, null if none; copied
     * @param expected the version demanded, null if none
     * @param session the owner, null if none
     */
    TxnOp(Kind kind, Key key, byte @Nullable [] value, @Nullable Version expected, @Nullable Session session) {
        this.kind = kind;
        this.key = Objects.requireNonNull(key, "key");
        this.value = value == null ? NO_VALUE : value.clone();
        this.expected = expected;
        this.session = session;
    }

    /**
     * What the operation does.
     *
     * @return the kind
     */
    public Kind kind() {
        return kind;
    }

    /**
     * The key it is about.
     *
     * @return the key
     */
    public Key key() {
        return key;
    }

    /**
     * The bytes to write.
     *
     * @return a copy of the value, may be empty
     * @throws IllegalStateException if this kind of operation writes none
     */
    public byte[] value() {
        if (kind == Kind.DELETE || kind == Kind.CHECK) {
            throw new IllegalStateException("operation has no value: kind=" + kind + ", key=" + key);
        }
        return value.clone();
    }

    /**
     * The length of the value.
     *
     * @return its number of bytes, 0 if this kind of operation writes none
     */
    public int valueSizeBytes() {
        return value.length;
    }

    /**
     * The version that the key must have.
     *
     * @return the version
     * @throws IllegalStateException if this kind of operation wants the key absent
     */
    public Version expected() {
        if (expected == null) {
            throw new IllegalStateException("operation has no expected version: kind=" + kind + ", key=" + key);
        }
        return expected;
    }

    /**
     * The session that is to own the key.
     *
     * @return the session
     * @throws IllegalStateException if this is not {@link Kind#CREATE_EPHEMERAL}
     */
    public Session session() {
        if (session == null) {
            throw new IllegalStateException("operation has no session: kind=" + kind + ", key=" + key);
        }
        return session;
    }

    @Override
    public String toString() {
        return kind + "(" + key + ")";
    }
}
