/**
 * Coordination on Apache ZooKeeper, with ZooKeeper's own client. Entry: {@link
 * io.tidemark.coordination.zk.ZkCoordinationProvider}, found by the scheme {@code zk}.
 *
 * <p>One loop thread per client owns all state; ZooKeeper's threads only hand over what they received, and users are
 * called back on the callback executor. Each session has a connection of its own, everything else shares one.
 * Directories are container nodes without data, which ZooKeeper removes when they are empty; entries are nodes with
 * data. Access lists keep the two apart on the server: nobody may create below an entry, or set the data of a
 * directory.
 *
 * <p>{@link io.tidemark.coordination.Capability#STRICT_CAS} is not claimed: ZooKeeper counts the versions of a node
 * from 0 anew when it is deleted and created again. Never do that with a key that guards others.
 */
@NullMarked
package io.tidemark.coordination.zk;

import org.jspecify.annotations.NullMarked;
