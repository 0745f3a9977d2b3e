/**
 * What back ends share, so that each does it alike: results that call back on the right thread
 * ({@link io.tidemark.coordination.spi.CallbackFuture}), the executor for that
 * ({@link io.tidemark.coordination.spi.CallbackExecutor}), and the one class that reads the clock and starts threads
 * ({@link io.tidemark.coordination.spi.SystemSeam}). Users of the library do not need this package.
 */
@NullMarked
package io.tidemark.coordination.spi;

import org.jspecify.annotations.NullMarked;
