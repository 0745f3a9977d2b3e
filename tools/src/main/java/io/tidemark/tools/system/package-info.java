/**
 * The tools' seam to the machine: clocks, threads, child processes, folders, signals. Everything else in the tools
 * takes what it needs from here, so that the rules of the libraries (no clock, no thread, no exit of its own) hold
 * there too.
 *
 * <p>Entry classes: {@link io.tidemark.tools.system.Machine} for clock and waiting,
 * {@link io.tidemark.tools.system.ChildProcess} for a process that must not outlive us,
 * {@link io.tidemark.tools.system.Shutdown} for the end of our own.
 */
@NullMarked
package io.tidemark.tools.system;

import org.jspecify.annotations.NullMarked;
