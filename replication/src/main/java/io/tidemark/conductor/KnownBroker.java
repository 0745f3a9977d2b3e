package io.tidemark.conductor;

import io.tidemark.controller.BrokerRegistration;
import io.tidemark.coordination.Version;

/**
 * A registered broker as it was last seen. Immutable.
 *
 * @param registration what it said of itself
 * @param version of its key, for guards
 */
record KnownBroker(BrokerRegistration registration, Version version) {}
