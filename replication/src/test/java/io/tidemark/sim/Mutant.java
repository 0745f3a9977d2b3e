package io.tidemark.sim;

import java.util.List;
import java.util.Set;

/**
 * A bug put back on purpose: a class of the production, compiled with a few words changed, and loaded in its place. It
 * exists in tests only; the simulator that does not find it is not to be trusted.
 *
 * @param name what is wrong
 * @param type class that is changed, with its package below {@code io.tidemark}
 * @param changes of the source; each text must be there exactly once
 * @param invariants of which one must be found broken
 * @param seeds within which that must happen
 * @param firstSeed the first of them
 * @param plan kinds of faults that the runs are drawn from, with blanks between them; empty for any
 * @param story the one story that finds it, instead of seeds; empty for seeds
 * @param open why it is not found in each build yet; empty if it is
 */
record Mutant(
        String name,
        String type,
        List<Change> changes,
        Set<String> invariants,
        int seeds,
        long firstSeed,
        String plan,
        String story,
        String open) {
    /** Words and what stands there instead. */
    record Change(String words, String instead) {}

    /** Path of the source below the root of the sources. */
    String path() {
        return "io/tidemark/" + type.replace('.', '/') + ".java";
    }

    /** The source with its changes. */
    String change(String source) {
        String changed = source;
        for (Change change : changes) {
            int at = changed.indexOf(change.words());
            if (at < 0 || changed.indexOf(change.words(), at + 1) >= 0) {
                throw new IllegalStateException("the words to change must be there exactly once: mutant=" + name
                        + ", type=" + type + ", words=" + change.words());
            }
            changed = changed.substring(0, at)
                    + change.instead()
                    + changed.substring(at + change.words().length());
        }
        return changed;
    }
}
