/** Tests of the conductor's parts, on the in-memory coordination service and a virtual clock. */
@NullMarked
package io.tidemark.conductor;

import org.jspecify.annotations.NullMarked;
