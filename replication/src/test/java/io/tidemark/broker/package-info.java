/** Tests of the broker as a whole, and of its configuration. */
@NullMarked
package io.tidemark.broker;

import org.jspecify.annotations.NullMarked;
