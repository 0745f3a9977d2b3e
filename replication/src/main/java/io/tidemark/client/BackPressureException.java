package io.tidemark.client;

import io.tidemark.wire.ErrorCode;

/** The producer's memory was used up, and none came back within the block timeout. The record was not sent. */
public final class BackPressureException extends TidemarkException {
    private static final long serialVersionUID = 1L;

    /**
     * Says what failed.
     *
     * @param text what, where and what to do
     */
    public BackPressureException(String text) {
        super(ErrorCode.BACK_PRESSURE, text, null);
    }
}
