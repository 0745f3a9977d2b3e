package io.tidemark.client;

import io.tidemark.wire.ErrorCode;

/** The delivery timeout passed before the broker answered: whether the records were stored is unknown. */
public final class DeliveryTimeoutException extends TidemarkException {
    private static final long serialVersionUID = 1L;

    /**
     * Says what failed.
     *
     * @param text what, where and what to do
     */
    public DeliveryTimeoutException(String text) {
        super(ErrorCode.REQUEST_TIMED_OUT, text, null);
    }
}
