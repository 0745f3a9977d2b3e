/** Tests of {@code io.tidemark.tools.demo}. */
@NullMarked
package io.tidemark.tools.demo;

import org.jspecify.annotations.NullMarked;
