package io.tidemark.metadata;

/** A stored value cannot be understood. The message names the key, the field and what is wrong with it. */
public final class MetadataFormatException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what, where, what to do
     */
    public MetadataFormatException(String message) {
        super(message);
    }

    /**
     * Makes the exception.
     *
     * @param message what, where, what to do
     * @param cause what the parser said
     */
    public MetadataFormatException(String message, Throwable cause) {
        super(message, cause);
    }
}
