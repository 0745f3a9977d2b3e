package io.tidemark.client;

import org.jspecify.annotations.Nullable;

/**
 * A record that was read, copied out of its batch. The arrays belong to the caller.
 *
 * @param topic name
 * @param partition from 0
 * @param offset of the record
 * @param timestamp milliseconds since 1970, as the producer set it
 * @param key or null if there is none
 * @param value or null if there is none
 */
public record ConsumedRecord(
        String topic, int partition, long offset, long timestamp, byte @Nullable [] key, byte @Nullable [] value) {}
