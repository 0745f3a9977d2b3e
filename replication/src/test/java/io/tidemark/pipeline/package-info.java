/** Lanes stepped by hand over an in-memory network, and few tests with real threads and sockets. */
@NullMarked
package io.tidemark.pipeline;

import org.jspecify.annotations.NullMarked;
