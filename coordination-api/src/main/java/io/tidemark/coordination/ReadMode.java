package io.tidemark.coordination;

/** How fresh a read must be. */
public enum ReadMode {
    /** Sees every write that was acknowledged to any client before the read began; fails without a quorum. */
    LINEARIZABLE,
    /** May be old, but never goes back in time within one client. Cheaper; never a base for a decision. */
    LOCAL
}
