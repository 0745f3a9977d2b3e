/**
 * A segmented, memory-mapped commit log on one disk. Start at {@code Log}.
 */
@NullMarked
package io.tidemark.log;

import org.jspecify.annotations.NullMarked;
