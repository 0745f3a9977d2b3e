package io.tidemark.client;

import io.tidemark.wire.ErrorCode;

/** No broker that was asked knows the topic. */
public final class UnknownTopicException extends TidemarkException {
    private static final long serialVersionUID = 1L;

    /**
     * Says what failed.
     *
     * @param text what, where and what to do
     */
    public UnknownTopicException(String text) {
        super(ErrorCode.UNKNOWN_TOPIC, text, null);
    }
}
