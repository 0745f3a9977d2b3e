/**
 * The coordination interface on Apache ZooKeeper's own client.
 */
@NullMarked
package io.tidemark.coordination.zk;

import org.jspecify.annotations.NullMarked;
