/**
 * One interface over coordination services. Start at {@code Coordination}.
 */
@NullMarked
package io.tidemark.coordination;

import org.jspecify.annotations.NullMarked;
