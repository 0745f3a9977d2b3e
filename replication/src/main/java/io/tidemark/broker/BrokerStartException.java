package io.tidemark.broker;

/**
 * A broker could not start. The message is one line that says what is wrong, where, and what to do; nothing of the
 * broker is left behind.
 */
public class BrokerStartException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong, where, and what to do
     */
    public BrokerStartException(String message) {
        super(message);
    }

    /**
     * Makes the exception with its cause.
     *
     * @param message what is wrong, where, and what to do
     * @param cause the failure below it
     */
    public BrokerStartException(String message, Throwable cause) {
        super(message, cause);
    }
}
