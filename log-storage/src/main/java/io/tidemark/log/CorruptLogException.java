package io.tidemark.log;

import org.jspecify.annotations.Nullable;

/**
 * Bytes of a log that had been written completely are damaged. The damage is reported, never cut: the message names
 * the file and the position.
 */
public final class CorruptLogException extends StorageException {
    private static final long serialVersionUID = 1L;

    /**
     * An error without a cause.
     *
     * @param message what, where, what to do
     */
    public CorruptLogException(String message) {
        super(message);
    }

    /**
     * An error with a cause.
     *
     * @param message what, where, what to do
     * @param cause what was caught, null when there is none
     */
    public CorruptLogException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
