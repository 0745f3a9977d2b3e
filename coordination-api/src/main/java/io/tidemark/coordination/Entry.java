package io.tidemark.coordination;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.OptionalLong;

/** A key with its value, as it was at one revision. Immutable; values are copied on the way in and out. */
public final class Entry {
    private final Key key;
    private final byte[] value;
    private final Version version;
    private final OptionalLong ownerSessionId;

    /**
     * Makes an entry.
     *
     * @param key the name
     * @param value the bytes, may be empty; copied
     * @param version the state in which the key was read
     * @param ownerSessionId the id of the session with which the key ends, empty for a key that stays
     */
    public Entry(Key key, byte[] value, Version version, OptionalLong ownerSessionId) {
        this.key = Objects.requireNonNull(key, "key");
        this.value = value.clone();
        this.version = Objects.requireNonNull(version, "version");
        this.ownerSessionId = Objects.requireNonNull(ownerSessionId, "ownerSessionId");
    }

    /**
     * The name.
     *
     * @return the key
     */
    public Key key() {
        return key;
    }

    /**
     * The bytes.
     *
     * @return a copy of the value, may be empty
     */
    public byte[] value() {
        return value.clone();
    }

    /**
     * The bytes read as text.
     *
     * @return the value decoded as UTF-8
     */
    public String valueText() {
        return new String(value, StandardCharsets.UTF_8);
    }

    /**
     * The length of the value.
     *
     * @return its number of bytes
     */
    public int valueSizeBytes() {
        return value.length;
    }

    /**
     * The state in which the key was read, to be given to a conditional write.
     *
     * @return the version
     */
    public Version version() {
        return version;
    }

    /**
     * The session that owns an ephemeral key. Ownership is judged by this id, never by the key or the value.
     *
     * @return the id, or empty for a key that stays
     */
    public OptionalLong ownerSessionId() {
        return ownerSessionId;
    }

    /**
     * Tells whether a session owns this key.
     *
     * @param session the session
     * @return true if the key ends with exactly this session
     */
    public boolean isOwnedBy(Session session) {
        return ownerSessionId.isPresent() && ownerSessionId.getAsLong() == session.id();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Entry entry
                && key.equals(entry.key)
                && version.equals(entry.version)
                && ownerSessionId.equals(entry.ownerSessionId)
                && Arrays.equals(value, entry.value);
    }

    @Override
    public int hashCode() {
        return Objects.hash(key, version, ownerSessionId, Arrays.hashCode(value));
    }

    /** Names the key and its state; the value is left out since it may be large or secret. */
    @Override
    public String toString() {
        return "Entry[key=" + key + ", valueSizeBytes=" + value.length + ", version=" + version + ", ownerSessionId="
                + (ownerSessionId.isPresent() ? Long.toString(ownerSessionId.getAsLong()) : "none") + "]";
    }
}
