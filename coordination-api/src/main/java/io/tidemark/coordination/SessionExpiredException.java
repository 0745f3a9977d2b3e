package io.tidemark.coordination;

/** The session of an ephemeral key has ended. Nothing of the transaction was applied. */
public class SessionExpiredException extends CoordinationException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what failed, where, and what to do
     */
    public SessionExpiredException(String message) {
        super(message);
    }

    /**
     * Makes the exception with its cause.
     *
     * @param message what failed, where, and what to do
     * @param cause the failure below it
     */
    public SessionExpiredException(String message, Throwable cause) {
        super(message, cause);
    }
}
