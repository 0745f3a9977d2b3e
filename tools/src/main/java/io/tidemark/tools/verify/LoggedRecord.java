package io.tidemark.tools.verify;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One record of a batch. The buffers are views of the batch's own copy, from their position to their limit.
 *
 * @param offset its offset in the partition
 * @param timestamp milliseconds since the epoch
 * @param key the key, or null if it has none
 * @param value the value, or null if it has none
 * @param headerCount how many headers it has
 */
public record LoggedRecord(
        long offset,
        long timestamp,
        @Nullable ByteBuffer key,
        @Nullable ByteBuffer value,
        int headerCount) {}
