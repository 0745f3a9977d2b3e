package io.tidemark.coordination;

/**
 * No answer came within the deadline, or the connection broke: the write may have been applied, may be applied later,
 * or never. Settled only by a version that moved past the expected one; reading back an unmoved version settles
 * nothing.
 */
public class OutcomeUnknownException extends CoordinationException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what failed, where, and what to do
     */
    public OutcomeUnknownException(String message) {
        super(message);
    }

    /**
     * Makes the exception with its cause.
     *
     * @param message what failed, where, and what to do
     * @param cause the failure below it
     */
    public OutcomeUnknownException(String message, Throwable cause) {
        super(message, cause);
    }
}
