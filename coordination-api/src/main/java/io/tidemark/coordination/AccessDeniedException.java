package io.tidemark.coordination;

/**
 * The service refused the credentials, or the permission for a key. Nothing was applied; trying again does not help.
 */
public class AccessDeniedException extends CoordinationException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what failed, where, and what to do
     */
    public AccessDeniedException(String message) {
        super(message);
    }

    /**
     * Makes the exception with its cause.
     *
     * @param message what failed, where, and what to do
     * @param cause the failure below it
     */
    public AccessDeniedException(String message, Throwable cause) {
        super(message, cause);
    }
}
