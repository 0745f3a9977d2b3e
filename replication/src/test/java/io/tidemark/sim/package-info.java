/**
 * A whole cluster in one thread: the production classes of brokers and clients on virtual time, a network, disks and a
 * coordination service that fail by a seed, and an oracle that judges every step. Entry class: {@link
 * io.tidemark.sim.SimCluster}; {@link io.tidemark.sim.SimRun} runs one seed with its load and its faults, {@link
 * io.tidemark.sim.Simulate} is the command line. Everything is owned by the one thread that steps it.
 */
@NullMarked
package io.tidemark.sim;

import org.jspecify.annotations.NullMarked;
