/** Tests of {@code io.tidemark.tools.system}. */
@NullMarked
package io.tidemark.tools.system;

import org.jspecify.annotations.NullMarked;
