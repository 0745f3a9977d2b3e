/**
 * Reads log folders without the broker's code: plain {@code java.nio} and its own parser of the record batch format,
 * so that what it says about a folder is a second opinion. Only the format is shared (Kafka's message format v2).
 *
 * <p>Entry classes: {@link io.tidemark.tools.verify.PartitionReader} walks the batches of one partition folder,
 * {@link io.tidemark.tools.verify.ReplicaComparison} compares the folders of several replicas batch by batch. Nothing
 * here is safe for use by several threads, and nothing writes.
 */
@NullMarked
package io.tidemark.tools.verify;

import org.jspecify.annotations.NullMarked;
