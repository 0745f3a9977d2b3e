/**
 * The coordination interface on etcd.
 */
@NullMarked
package io.tidemark.coordination.etcd;

import org.jspecify.annotations.NullMarked;
