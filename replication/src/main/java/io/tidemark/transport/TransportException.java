package io.tidemark.transport;

import org.jspecify.annotations.Nullable;

/** The network refused something: an address cannot be bound or reached, or a frame is too long to be sent. */
public class TransportException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Says what failed.
     *
     * @param text what, where and what to do
     * @param cause as the operating system reported it, or null if there is none
     */
    public TransportException(String text, @Nullable Throwable cause) {
        super(text, cause);
    }
}
