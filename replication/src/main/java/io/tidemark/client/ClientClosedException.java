package io.tidemark.client;

import io.tidemark.wire.ErrorCode;

/** The client, or the part of it that was used, is closed. */
public final class ClientClosedException extends TidemarkException {
    private static final long serialVersionUID = 1L;

    /**
     * Says what failed.
     *
     * @param text what, where and what to do
     */
    public ClientClosedException(String text) {
        super(ErrorCode.BROKER_CLOSING, text, null);
    }
}
