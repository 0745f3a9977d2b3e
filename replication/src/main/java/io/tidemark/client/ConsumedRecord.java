package io.tidemark.client;

import org.jspecify.annotations.Nullable;

/** A record that was read, copied out of its batch. The arrays belong to the caller and are not copied again. */
public final class ConsumedRecord {
    private final RecordPosition position;
    private final long timestamp;
    private final byte @Nullable [] key;
    private final byte @Nullable [] value;

    /**
     * Holds a record.
     *
     * @param position where it was read
     * @param timestamp milliseconds since 1970, as the producer set it
     * @param key or null if there is none
     * @param value or null if there is none
     */
    public ConsumedRecord(RecordPosition position, long timestamp, byte @Nullable [] key, byte @Nullable [] value) {
        this.position = position;
        this.timestamp = timestamp;
        this.key = key;
        this.value = value;
    }

    /**
     * Name of the topic.
     *
     * @return the name
     */
    public String topic() {
        return position.topic();
    }

    /**
     * Partition of the topic.
     *
     * @return from 0
     */
    public int partition() {
        return position.partition();
    }

    /**
     * Offset of the record.
     *
     * @return 0 or more
     */
    public long offset() {
        return position.offset();
    }

    /**
     * Time of the record, as the producer set it.
     *
     * @return milliseconds since 1970
     */
    public long timestamp() {
        return timestamp;
    }

    /**
     * The key.
     *
     * @return the array itself, or null if there is no key
     */
    public byte @Nullable [] key() {
        return key;
    }

    /**
     * The value.
     *
     * @return the array itself, or null if there is no value
     */
    public byte @Nullable [] value() {
        return value;
    }

    @Override
    public String toString() {
        return "ConsumedRecord[" + position + ", timestamp=" + timestamp + "]";
    }
}
