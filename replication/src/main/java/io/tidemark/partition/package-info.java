/**
 * The replication protocol of one partition as pure decisions: who is in sync, what is committed, where a follower
 * must truncate, and which batch of a producer is a repetition.
 *
 * <p>Enter at {@link io.tidemark.partition.PartitionLeader} and {@link io.tidemark.partition.PartitionFollower}.
 * Classes here hold no file, socket, clock or thread: they take an input and the current time, change only their own
 * fields, and write decisions to an output interface. Owned by the progress stage of a lane; not thread-safe.
 */
@NullMarked
package io.tidemark.partition;

import org.jspecify.annotations.NullMarked;
