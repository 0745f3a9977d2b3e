package io.tidemark.coordination;

/** A difference that a {@link Watch} delivers. */
public sealed interface Change {
    /**
     * The key that changed.
     *
     * @return the key
     */
    Key key();

    /**
     * The revision of the change; per key, these never fall.
     *
     * @return the revision
     */
    long revision();

    /**
     * A key was created or updated; this is the latest state known, values between may have been skipped.
     *
     * @param entry the state
     */
    record Put(Entry entry) implements Change {
        @Override
        public Key key() {
            return entry.key();
        }

        @Override
        public long revision() {
            return entry.version().modRevision();
        }
    }

    /**
     * A key is gone.
     *
     * @param key the key
     * @param revision a revision at which it was gone, higher than that of each state delivered before
     */
    record Deleted(Key key, long revision) implements Change {}
}
