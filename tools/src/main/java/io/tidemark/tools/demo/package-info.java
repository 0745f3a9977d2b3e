/**
 * The demo that checks itself: real brokers under load, one or all of them killed half-way, and every record accounted
 * for afterwards.
 *
 * <p>{@link io.tidemark.tools.demo.Demo} runs the steps in order on the calling thread. Around it:
 * {@link io.tidemark.tools.demo.Cluster} starts, kills and restarts brokers,
 * {@link io.tidemark.tools.demo.ClusterWatch} follows the state records in the coordination service,
 * {@link io.tidemark.tools.demo.SendLedger} keeps what was sent and acknowledged,
 * {@link io.tidemark.tools.demo.ReadLedger} judges what was read, and {@link io.tidemark.tools.demo.DemoResult} decides
 * whether all is right.
 */
@NullMarked
package io.tidemark.tools.demo;

import org.jspecify.annotations.NullMarked;
