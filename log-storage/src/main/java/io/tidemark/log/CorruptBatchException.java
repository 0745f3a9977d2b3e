package io.tidemark.log;

/** The checksum of a record batch does not match: its bytes were changed after it was built. */
public final class CorruptBatchException extends InvalidBatchException {
    private static final long serialVersionUID = 1L;

    /**
     * An error without a cause.
     *
     * @param message what, where, what to do
     */
    public CorruptBatchException(String message) {
        super(message);
    }
}
