package io.tidemark.tools.verify;

import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One record of a batch. The buffers are views of the batch's own copy, from their position to their limit.
 *
 * @param offset its offset in the partition
 * @param timestamp milliseconds since the epoch
 * @param key the key, or null if it has none
 * @param value the value, or null if it has none
 * @param headers in their order; keys may repeat
 */
public record LoggedRecord(
        long offset,
        long timestamp,
        @Nullable ByteBuffer key,
        @Nullable ByteBuffer value,
        List<Header> headers) {
    /**
     * One header of a record.
     *
     * @param key UTF-8
     * @param value the bytes, or null if it has none
     */
    public record Header(String key, @Nullable ByteBuffer value) {}
}
