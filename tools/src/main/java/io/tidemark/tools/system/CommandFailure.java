package io.tidemark.tools.system;

/** A command cannot do what it was asked; the message is for the user: what, where, what to do. */
public final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Explains the failure.
     *
     * @param message one line: what, where, what to do
     */
    public CommandFailure(String message) {
        super(message);
    }

    /**
     * Explains the failure.
     *
     * @param message one line: what, where, what to do
     * @param cause what led to it
     */
    public CommandFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
