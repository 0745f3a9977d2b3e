/**
 * Compresses and opens the records of a batch. Each library is named by one class only, and is needed only when a batch
 * of its codec comes by. Entry classes: {@code Compressor} and {@code Decompressor}. No thread of its own; each object
 * is owned by one.
 */
@NullMarked
package io.tidemark.log.codec;

import org.jspecify.annotations.NullMarked;
