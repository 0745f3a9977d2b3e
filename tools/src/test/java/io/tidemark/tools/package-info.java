/** Tests of the command line as a whole. */
@NullMarked
package io.tidemark.tools;

import org.jspecify.annotations.NullMarked;
