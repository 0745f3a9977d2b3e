/**
 * Frames, generated message headers and error codes.
 */
@NullMarked
package io.tidemark.wire;

import org.jspecify.annotations.NullMarked;
