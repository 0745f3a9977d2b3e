package io.tidemark.coordination;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What an election has read of its term key.
 *
 * @param key the term key
 * @param number the last term, 0 if there was no leader yet
 * @param version the version of the key, null if it does not exist yet
 */
record Term(Key key, long number, @Nullable Version version) {
    /**
     * Reads the key's value.
     *
     * @param key the term key
     * @param entry what it holds
     * @return the term
     * @throws IllegalStateException if the value is no number
     */
    static Term read(Key key, Optional<Entry> entry) {
        if (entry.isEmpty()) {
            return new Term(key, 0, null);
        }
        String text = entry.get().valueText();
        try {
            return new Term(key, Long.parseLong(text), entry.get().version());
        } catch (NumberFormatException malformed) {
            throw new IllegalStateException(
                    "the term key does not hold a number: key=" + key + ", value=" + text + "; give it one", malformed);
        }
    }

    /**
     * Adds the raise of the term by one, on the condition that nobody else raised it since it was read.
     *
     * @param builder the transaction
     * @return the same builder
     */
    Txn.Builder raise(Txn.Builder builder) {
        byte[] next = Long.toString(number + 1).getBytes(StandardCharsets.US_ASCII);
        return version == null ? builder.create(key, next) : builder.update(key, next, version);
    }

    /**
     * Tells whether an entry was written by the transaction that raised the term to this.
     *
     * @param revision the revision of the entry
     * @return true if both have the same revision
     */
    boolean wasRaisedAt(long revision) {
        return version != null && version.modRevision() == revision;
    }
}
