package io.tidemark.coordination;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Entries of one directory, sorted by key.
 *
 * @param revision a revision of the store not later than any state shown: each later change has a higher one
 * @param entries the entries; given in any order, kept in the order of their keys
 */
public record Listing(long revision, List<Entry> entries) {
    /**
     * Keeps a sorted copy of the entries.
     *
     * @param revision a revision of the store not later than any state shown
     * @param entries the entries in any order
     */
    public Listing {
        entries = entries.stream().sorted(Comparator.comparing(Entry::key)).toList();
    }

    /**
     * Looks one entry up.
     *
     * @param key its key
     * @return the entry, or empty if it is not listed
     */
    public Optional<Entry> find(Key key) {
        return entries.stream().filter(entry -> entry.key().equals(key)).findFirst();
    }
}
