package io.tidemark.coordination;

/** A key, a value or a transaction is above the {@link Limits}. Nothing was sent, and the connection is unharmed. */
public class TooLargeException extends CoordinationException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what failed, where, and what to do
     */
    public TooLargeException(String message) {
        super(message);
    }

    /**
     * Makes the exception with its cause.
     *
     * @param message what failed, where, and what to do
     * @param cause the failure below it
     */
    public TooLargeException(String message, Throwable cause) {
        super(message, cause);
    }
}
