/**
 * The conductor: everything that talks to coordination, and the broker's roles.
 * {@link io.tidemark.conductor.ConductorProxy} is the entrance for other agents. Owned by the conductor's thread.
 */
@NullMarked
package io.tidemark.conductor;

import org.jspecify.annotations.NullMarked;
