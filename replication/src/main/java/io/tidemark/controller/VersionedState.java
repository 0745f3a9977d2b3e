package io.tidemark.controller;

import io.tidemark.partition.PartitionState;
import io.tidemark.partition.StateVersion;

/**
 * A partition's record with the version under which it is stored.
 *
 * @param state the record
 * @param version what the next conditional write of it expects
 */
public record VersionedState(PartitionState state, StateVersion version) {}
