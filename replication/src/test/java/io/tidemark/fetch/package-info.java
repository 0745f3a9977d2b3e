/** Tests of what fetches and reads are kept in. */
@NullMarked
package io.tidemark.fetch;

import org.jspecify.annotations.NullMarked;
