/**
 * The {@code tidemark} command line, one class per command; {@link io.tidemark.tools.Tidemark} is its entry. Not for
 * users of the library.
 *
 * <p>Commands write results to the {@link io.tidemark.tools.system.Terminal}'s output and one line per error to its
 * error stream. They never end the process themselves; the exit code is 0, 1 for a failure, 2 for wrong usage.
 */
@NullMarked
package io.tidemark.tools;

import org.jspecify.annotations.NullMarked;
