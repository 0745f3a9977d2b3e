package io.tidemark.log.io;

import java.io.IOException;

/** A lock is held by another process, or by somebody else in this JVM. */
public final class LockHeldException extends IOException {
    private static final long serialVersionUID = 1L;

    /**
     * The lock that is held.
     *
     * @param message which one
     */
    public LockHeldException(String message) {
        super(message);
    }
}
