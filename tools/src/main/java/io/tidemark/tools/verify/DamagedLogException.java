package io.tidemark.tools.verify;

import java.io.IOException;
import java.nio.file.Path;

/** A log file holds bytes that are no valid log. The message says what is wrong, in which file, and where in it. */
public final class DamagedLogException extends IOException {
    private static final long serialVersionUID = 1L;

    private final String file;
    private final long position;

    /**
     * Describes the damage.
     *
     * @param what what is wrong, with the values as {@code name=value}
     * @param file the damaged file
     * @param position the byte at which the damaged batch begins
     */
    public DamagedLogException(String what, Path file, long position) {
        super(what + ": file=" + file + ", position=" + position);
        this.file = file.toString();
        this.position = position;
    }

    /**
     * The damaged file.
     *
     * @return its path
     */
    public Path file() {
        return Path.of(file);
    }

    /**
     * Where the damage is.
     *
     * @return the byte at which the damaged batch begins
     */
    public long position() {
        return position;
    }
}
