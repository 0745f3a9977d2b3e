package io.tidemark.log.io;

import java.io.IOException;

/** The file system is full, or its quota is used up. */
public final class NoSpaceException extends IOException {
    private static final long serialVersionUID = 1L;

    /**
     * What could not be written.
     *
     * @param message which file
     * @param cause what the system said
     */
    public NoSpaceException(String message, IOException cause) {
        super(message, cause);
    }

    /**
     * What could not be written.
     *
     * @param message which file
     */
    public NoSpaceException(String message) {
        super(message);
    }
}
