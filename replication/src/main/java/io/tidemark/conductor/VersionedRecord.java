package io.tidemark.conductor;

import io.tidemark.controller.TopicState;
import io.tidemark.coordination.Version;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.StateVersion;

/**
 * A partition's state record with its version and its topic. Immutable.
 *
 * @param topic the topic
 * @param id of the partition
 * @param state the record
 * @param version of the record in the coordination service
 */
record VersionedRecord(TopicState topic, PartitionId id, PartitionState state, StateVersion version) {
    /**
     * Whether this was written after another record of the same partition. The epochs decide; for equal epochs (a
     * record that was written by hand) the revision does.
     *
     * @param other the other record
     * @return true if this one is to be preferred
     */
    boolean isNewerThan(VersionedRecord other) {
        if (state.isNewerThan(other.state)) {
            return true;
        }
        return !other.state.isNewerThan(state) && version.modRevision() > other.version.modRevision();
    }

    /**
     * The version for a conditional write.
     *
     * @return as the coordination service gave it
     */
    Version expected() {
        return new Version(version.createRevision(), version.modRevision(), version.casToken());
    }

    /**
     * A later record of the same partition.
     *
     * @param newState the record
     * @param newVersion its version
     * @return both together
     */
    VersionedRecord with(PartitionState newState, Version newVersion) {
        return new VersionedRecord(topic, id, newState, stateVersion(newVersion));
    }

    /**
     * A version as the pure packages carry it.
     *
     * @param version as the coordination service gave it
     * @return the same three numbers
     */
    static StateVersion stateVersion(Version version) {
        return new StateVersion(version.createRevision(), version.modRevision(), version.casToken());
    }
}
