/**
 * What back ends share, so that each does it alike: results that call back on the right thread
 * ({@link io.tidemark.coordination.spi.CallbackFuture}) and the executor for that
 * ({@link io.tidemark.coordination.spi.CallbackExecutor}); the states and the deadline of a session
 * ({@link io.tidemark.coordination.spi.BackendSession}); the merging and serial delivery of a watch
 * ({@link io.tidemark.coordination.spi.WatchFeed}); and the one class that reads the clock, draws ids and makes
 * threads ({@link io.tidemark.coordination.spi.SystemSeam}). Users of the library do not need this package.
 */
@NullMarked
package io.tidemark.coordination.spi;

import org.jspecify.annotations.NullMarked;
