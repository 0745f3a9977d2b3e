/**
 * The decisions of the controller as pure classes: placement of replicas, election of leaders, creation of topics, and
 * the view of the cluster that brokers and clients are given.
 *
 * <p>Enter at {@link io.tidemark.controller.ControllerCore}. Classes here hold no coordination client, socket, clock or
 * thread; decisions go to {@link io.tidemark.controller.ControllerDecisions}. Owned by the conductor agent, but for
 * {@link io.tidemark.controller.ClusterImage}, which is immutable.
 */
@NullMarked
package io.tidemark.controller;

import org.jspecify.annotations.NullMarked;
