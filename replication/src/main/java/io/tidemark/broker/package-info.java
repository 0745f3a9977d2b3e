/**
 * The public entrance to a broker inside a host program.
 *
 * <p>{@link io.tidemark.broker.Broker#start(io.tidemark.broker.BrokerConfig)} starts one from an immutable
 * {@link io.tidemark.broker.BrokerConfig}. A broker owns three threads (lane, conductor, maintenance), one data folder
 * and one port; several of them can live in one JVM without noticing each other.
 */
@NullMarked
package io.tidemark.broker;

import org.jspecify.annotations.NullMarked;
