/**
 * The client library: produce, consume, administer.
 *
 * <p>Entry: {@link io.tidemark.client.Client#connect(String)}. A client owns one thread, an agent that drives all its
 * connections; a {@link io.tidemark.client.Producer} and an {@link io.tidemark.client.Admin} may be used by any
 * thread, a {@link io.tidemark.client.Consumer} by one at a time.
 */
@NullMarked
package io.tidemark.client;

import org.jspecify.annotations.NullMarked;
