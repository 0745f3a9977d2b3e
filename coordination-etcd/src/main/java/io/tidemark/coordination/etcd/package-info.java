/**
 * Coordination on etcd, by etcd's own protocol with the classes that jetcd generates for it. Entry: {@link
 * io.tidemark.coordination.etcd.EtcdCoordinationProvider}, found by the scheme {@code etcd}.
 *
 * <p>One loop thread per client owns all state; the network thread only hands over what it received, and users are
 * called back on the callback executor. A client talks to one member at a time and moves on to the next when that one
 * cannot be reached or has lost the quorum. A session is a lease, a transaction is one transaction of etcd, a watch is
 * a range read at some revision with a stream of changes from the next one on.
 */
@NullMarked
package io.tidemark.coordination.etcd;

import org.jspecify.annotations.NullMarked;
