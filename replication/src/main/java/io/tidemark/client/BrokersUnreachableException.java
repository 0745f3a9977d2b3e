package io.tidemark.client;

import io.tidemark.wire.ErrorCode;

/** No broker could be reached in the time allowed. */
public final class BrokersUnreachableException extends TidemarkException {
    private static final long serialVersionUID = 1L;

    /**
     * Says what failed.
     *
     * @param text what, where and what to do
     */
    public BrokersUnreachableException(String text) {
        super(ErrorCode.REQUEST_TIMED_OUT, text, null);
    }
}
