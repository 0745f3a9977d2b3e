/**
 * What is stored in the coordination service: the keys, and the JSON of their values.
 *
 * <p>Enter at {@link io.tidemark.metadata.MetadataKeys} and {@link io.tidemark.metadata.MetadataJson}. Constants and
 * pure functions; any thread.
 */
@NullMarked
package io.tidemark.metadata;

import org.jspecify.annotations.NullMarked;
