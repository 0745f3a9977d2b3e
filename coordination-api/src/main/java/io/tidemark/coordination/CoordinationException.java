package io.tidemark.coordination;

/** A call on a coordination service failed. The subclass tells what is known about its effect. */
public class CoordinationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what failed, where, and what to do
     */
    public CoordinationException(String message) {
        super(message);
    }

    /**
     * Makes the exception with its cause.
     *
     * @param message what failed, where, and what to do
     * @param cause the failure below it
     */
    public CoordinationException(String message, Throwable cause) {
        super(message, cause);
    }
}
