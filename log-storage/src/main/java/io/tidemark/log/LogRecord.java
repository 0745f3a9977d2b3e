package io.tidemark.log;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A record that was copied out of a log. Immutable as long as nobody changes its arrays; any thread. */
public final class LogRecord {
    private final long offset;
    private final long timestampMs;
    private final byte @Nullable [] key;
    private final byte @Nullable [] value;

    /**
     * A record.
     *
     * @param offset of the record
     * @param timestampMs milliseconds since the epoch
     * @param key null when it has none
     * @param value null when it has none
     */
    LogRecord(long offset, long timestampMs, byte @Nullable [] key, byte @Nullable [] value) {
        this.offset = offset;
        this.timestampMs = timestampMs;
        this.key = key;
        this.value = value;
    }

    /**
     * Where the record stands.
     *
     * @return an offset
     */
    public long offset() {
        return offset;
    }

    /**
     * When it was made.
     *
     * @return milliseconds since the epoch
     */
    public long timestampMs() {
        return timestampMs;
    }

    /**
     * The key.
     *
     * @return the record's own array, empty when it has no key
     */
    public Optional<byte[]> key() {
        return Optional.ofNullable(key);
    }

    /**
     * The value.
     *
     * @return the record's own array, without a byte when the record has no value; see {@link #hasValue()}
     */
    public byte[] value() {
        return value == null ? new byte[0] : value;
    }

    /**
     * Whether there is a value: a record with a key and no value says that the key was deleted.
     *
     * @return false for such a record
     */
    public boolean hasValue() {
        return value != null;
    }

    @Override
    public String toString() {
        return "offset=" + offset + ", timestampMs=" + timestampMs + ", keyLength=" + (key == null ? -1 : key.length)
                + ", valueLength=" + (value == null ? -1 : value.length);
    }
}
