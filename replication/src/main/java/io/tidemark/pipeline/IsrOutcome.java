package io.tidemark.pipeline;

/** What became of a leader's conditional write of its partition's state. */
public enum IsrOutcome {
    /** The proposed state was written. */
    COMMITTED,
    /** Somebody else had written before; the record that was found comes with the answer, if it could be read. */
    CONFLICT
}
