package io.tidemark.partition;

/**
 * Version of a stored {@link PartitionState}, as the coordination service gave it. Opaque but for equality: it is
 * handed back with the next conditional write.
 *
 * @param createRevision revision in which the record was created
 * @param modRevision revision of the last write
 * @param casToken what the service compares
 */
public record StateVersion(long createRevision, long modRevision, long casToken) {}
