package io.tidemark.log;

import org.jspecify.annotations.Nullable;

/** The disk, or what stands on it, did not do what was asked. The message says what, where and what to do. */
public class StorageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * An error without a cause.
     *
     * @param message what, where, what to do
     */
    public StorageException(String message) {
        super(message);
    }

    /**
     * An error with a cause.
     *
     * @param message what, where, what to do
     * @param cause what was caught, null when there is none
     */
    public StorageException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
