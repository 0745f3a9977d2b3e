package io.tidemark.wire;

/**
 * Received bytes are no message of this protocol: a length, a count, a kind or a version lies outside its range. The
 * connection that brought them cannot be trusted to be in step and is closed; nothing else is affected.
 */
public final class WireFormatException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Names what is wrong.
     *
     * @param text message, field, the value found and the value allowed
     */
    public WireFormatException(String text) {
        super(text);
    }
}
