package io.tidemark.tools.verify;

import java.nio.file.Path;

/**
 * Something in a folder that should not be so.
 *
 * @param file the file or folder
 * @param position where in the file, in bytes; 0 where the whole file is meant
 * @param what what is wrong, with the values as {@code name=value}
 * @param advice what to do about it
 */
public record Finding(Path file, long position, String what, String advice) {
    /** What to do about batches that are not as they were written. */
    static final String FETCH = "fetch the log again from another replica, or restore the file";

    /** What to do about a file that is derived from the batches. */
    static final String REBUILD =
            "delete the file while the broker is stopped; the next start builds it from the batches";

    /** What to do about a folder that holds less than was promised. */
    static final String LOST = "records are missing: fetch the log again from another replica, or restore the files";

    /**
     * The finding for people and scripts.
     *
     * @return one line
     */
    public String toLine() {
        return "file=" + file + " position=" + position + ": " + what + "; " + advice;
    }
}
