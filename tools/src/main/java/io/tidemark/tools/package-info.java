/**
 * The {@code tidemark} command line: one class per command.
 */
@NullMarked
package io.tidemark.tools;

import org.jspecify.annotations.NullMarked;
