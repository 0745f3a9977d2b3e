/**
 * The bytes of a record batch (Kafka's message format v2, big-endian): layout constants, varints, checksums and the
 * checks that decide whether given bytes are a batch. Pure: no files, no threads, no clocks. Start at
 * {@code BatchDescriptor}.
 */
@NullMarked
package io.tidemark.log.format;

import org.jspecify.annotations.NullMarked;
