/**
 * The network as one agent sees it: connections that carry frames.
 *
 * <p>{@link io.tidemark.transport.Transport} is the entry and a seam: {@code NettyTransport} speaks
 * TCP, a simulated one may stand in its place. A transport belongs to the thread that opened it, runs only when that
 * thread polls or parks in it, and calls handlers on that thread; only a wake-up may come from elsewhere.
 */
@NullMarked
package io.tidemark.transport;

import org.jspecify.annotations.NullMarked;
