package io.tidemark.client;

import io.tidemark.wire.ErrorCode;

/** Fewer replicas were in sync than the topic demands, until the delivery timeout. The records were not stored. */
public final class NotEnoughReplicasException extends TidemarkException {
    private static final long serialVersionUID = 1L;

    /**
     * Says what failed.
     *
     * @param text what, where and what to do
     */
    public NotEnoughReplicasException(String text) {
        super(ErrorCode.NOT_ENOUGH_REPLICAS, text, null);
    }
}
