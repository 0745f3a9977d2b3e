/**
 * The back end inside this process, in memory or durable in a folder. {@code local:} opens a store of its own;
 * {@link io.tidemark.coordination.local.LocalStore} is shared by several clients of one process, runs on a virtual
 * clock if wished, and has faults injected through {@link io.tidemark.coordination.local.LocalFaults}. The store's
 * lock guards all state of this package; no callback runs under it.
 */
@NullMarked
package io.tidemark.coordination.local;

import org.jspecify.annotations.NullMarked;
