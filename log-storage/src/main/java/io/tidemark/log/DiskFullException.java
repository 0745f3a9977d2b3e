package io.tidemark.log;

/**
 * There is no space left (or the quota is used up) for what was to be appended. Nothing of it was stored, the log goes
 * on as it was, and the append may be tried again once space has been freed.
 */
public final class DiskFullException extends StorageException {
    private static final long serialVersionUID = 1L;

    /**
     * An error with a cause.
     *
     * @param message what, where, what to do
     * @param cause what the file system said
     */
    public DiskFullException(String message, Throwable cause) {
        super(message, cause);
    }
}
