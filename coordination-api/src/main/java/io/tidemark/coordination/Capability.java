package io.tidemark.coordination;

/** What a back end promises beyond the common contract. */
public enum Capability {
    /** A version never matches again after its key was deleted and created anew. */
    STRICT_CAS,
    /** {@link Coordination#list} shows one moment of the store. */
    ATOMIC_LIST,
    /** A watch delivers all changes of one transaction in one call of {@link WatchListener#onChanges}. */
    ATOMIC_WATCH,
    /** A watch delivers every revision of a key, unless a gap forced a new snapshot. */
    ALL_REVISIONS
}
