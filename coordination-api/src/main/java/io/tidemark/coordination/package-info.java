/**
 * One small interface over coordination services: sessions, conditional transactions, reads, and watches that take a
 * new snapshot after every gap. Start at {@link io.tidemark.coordination.Coordinations#open} and
 * {@link io.tidemark.coordination.Coordination}. Back ends are found by the scheme of a URI; what they share is in
 * {@link io.tidemark.coordination.spi}. All types here are safe for use from any thread unless they say otherwise,
 * and no callback runs on a thread of a client library.
 */
@NullMarked
package io.tidemark.coordination;

import org.jspecify.annotations.NullMarked;
