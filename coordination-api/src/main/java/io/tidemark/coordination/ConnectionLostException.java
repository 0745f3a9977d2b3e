package io.tidemark.coordination;

/** The service was not reached: a write was surely not sent, a read has no answer. May be tried again. */
public class ConnectionLostException extends CoordinationException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what failed, where, and what to do
     */
    public ConnectionLostException(String message) {
        super(message);
    }

    /**
     * Makes the exception with its cause.
     *
     * @param message what failed, where, and what to do
     * @param cause the failure below it
     */
    public ConnectionLostException(String message, Throwable cause) {
        super(message, cause);
    }
}
