package io.tidemark.client;

import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** A record in place, inside the batch that carried it. Valid only during {@link RecordHandler#onRecord}. */
public interface RecordView {
    /** Length that stands for an absent key or value. */
    int ABSENT = -1;

    /**
     * Name of the topic.
     *
     * @return the name
     */
    String topic();

    /**
     * Partition of the topic.
     *
     * @return from 0
     */
    int partition();

    /**
     * Offset of the record.
     *
     * @return 0 or more
     */
    long offset();

    /**
     * Time of the record, as the producer set it.
     *
     * @return milliseconds since 1970
     */
    long timestamp();

    /**
     * Buffer that holds key and value, and other records around them.
     *
     * @return the buffer, borrowed; read only
     */
    DirectBuffer buffer();

    /**
     * Where the key starts in {@link #buffer()}.
     *
     * @return index; meaningless if there is no key
     */
    int keyIndex();

    /**
     * Length of the key.
     *
     * @return bytes, or {@link #ABSENT}
     */
    int keyLength();

    /**
     * Where the value starts in {@link #buffer()}.
     *
     * @return index; meaningless if there is no value
     */
    int valueIndex();

    /**
     * Length of the value.
     *
     * @return bytes, or {@link #ABSENT}
     */
    int valueLength();

    /**
     * The key, copied.
     *
     * @return a new array, or null if there is no key
     */
    default byte @Nullable [] key() {
        return copy(keyIndex(), keyLength());
    }

    /**
     * The value, copied.
     *
     * @return a new array, or null if there is no value
     */
    default byte @Nullable [] value() {
        return copy(valueIndex(), valueLength());
    }

    private byte @Nullable [] copy(int index, int length) {
        if (length == ABSENT) {
            return null;
        }
        byte[] bytes = new byte[length];
        buffer().getBytes(index, bytes);
        return bytes;
    }
}
