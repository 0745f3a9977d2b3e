package io.tidemark.coordination;

/**
 * The state of a key at one write. Opaque but for equality and for the order of the revisions.
 *
 * <p>Revisions are store-wide, grow with every transaction, and are equal for all writes of one transaction. Their
 * numbers belong to one store: they do not survive a restore from a backup, so they are no fencing token (use the
 * term of an election).
 *
 * @param createRevision revision of the transaction that created the key; the order of a queue
 * @param modRevision revision of the transaction that wrote the key last
 * @param casToken the back end's own token of the key's state, compared by conditional writes
 */
public record Version(long createRevision, long modRevision, long casToken) {}
