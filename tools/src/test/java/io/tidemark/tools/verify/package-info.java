/** Tests of {@code io.tidemark.tools.verify}. */
@NullMarked
package io.tidemark.tools.verify;

import org.jspecify.annotations.NullMarked;
