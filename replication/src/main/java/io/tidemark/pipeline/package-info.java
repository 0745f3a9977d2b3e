/**
 * The lane: {@link io.tidemark.pipeline.LaneAgent} runs the lane's sockets and the three stages of its ring, which
 * append, track progress and complete requests. Other threads reach it through {@link
 * io.tidemark.pipeline.LaneProxy}.
 *
 * <p>Everything here is owned by the lane's thread but the proxy, the gauges and the counters.
 */
@NullMarked
package io.tidemark.pipeline;

import org.jspecify.annotations.NullMarked;
