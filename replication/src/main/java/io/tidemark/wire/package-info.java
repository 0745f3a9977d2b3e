/**
 * What stands on the wire: the layout of a frame, the message headers that SBE generates from
 * {@code tidemark-wire.xml}, and the error codes.
 *
 * <p>{@link io.tidemark.wire.MessageWriter} begins a message in a reusable buffer;
 * {@link io.tidemark.wire.MessageReader}
 * checks a received one against the bounds of its frame before a generated decoder may touch it. Nothing here has a
 * thread of its own or does I/O.
 */
@NullMarked
package io.tidemark.wire;

import org.jspecify.annotations.NullMarked;
