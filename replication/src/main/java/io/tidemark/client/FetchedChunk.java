package io.tidemark.client;

import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What one request brought: whole batches, or a failure that the consumer must hear of.
 *
 * @param source partition that was read
 * @param generation of the seek that it belongs to
 * @param buffer that holds the batches, from index 0
 * @param length bytes of them
 * @param failure null if there are batches
 */
record FetchedChunk(
        AssignedPartition source,
        int generation,
        UnsafeBuffer buffer,
        int length,
        @Nullable TidemarkException failure) {}
