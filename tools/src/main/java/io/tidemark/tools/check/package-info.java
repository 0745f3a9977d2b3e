/**
 * The self-test of a coordination service, on the calling thread; entry class {@link
 * io.tidemark.tools.check.ServiceCheck}. Uses what users of the interface use, writes below one fresh key only, and
 * removes it.
 */
@NullMarked
package io.tidemark.tools.check;

import org.jspecify.annotations.NullMarked;
