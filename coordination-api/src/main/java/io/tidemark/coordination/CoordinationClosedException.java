package io.tidemark.coordination;

/** The {@link Coordination} was closed, or its watch or session. Nothing of the call was sent. */
public class CoordinationClosedException extends CoordinationException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what failed, where, and what to do
     */
    public CoordinationClosedException(String message) {
        super(message);
    }

    /**
     * Makes the exception with its cause.
     *
     * @param message what failed, where, and what to do
     * @param cause the failure below it
     */
    public CoordinationClosedException(String message, Throwable cause) {
        super(message, cause);
    }
}
