package io.tidemark.client;

/**
 * Where a record was put.
 *
 * @param topic name
 * @param partition from 0
 * @param offset of the record; {@link #NO_OFFSET} if the broker did not say (acks NONE, or a duplicate so old that its
 *     offset is not known any more)
 */
public record RecordPosition(String topic, int partition, long offset) {
    /** Stands for an unknown offset. */
    public static final long NO_OFFSET = -1;
}
