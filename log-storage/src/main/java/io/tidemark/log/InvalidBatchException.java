package io.tidemark.log;

/** Bytes that were given as a record batch are none, or may not be appended. Nothing of that batch was stored. */
public class InvalidBatchException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * An error without a cause.
     *
     * @param message what, where, what to do
     */
    public InvalidBatchException(String message) {
        super(message);
    }
}
