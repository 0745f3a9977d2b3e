package io.tidemark.client;

import io.tidemark.wire.ErrorCode;
import org.jspecify.annotations.Nullable;

/** An operation of the client failed. Subclasses exist where callers branch. */
public class TidemarkException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode reason;

    /**
     * Says what failed.
     *
     * @param reason kind of failure
     * @param text what, where and what to do
     * @param cause or null
     */
    public TidemarkException(ErrorCode reason, String text, @Nullable Throwable cause) {
        super(text, cause);
        this.reason = reason;
    }

    /**
     * Kind of failure.
     *
     * @return a code other than NONE
     */
    public ErrorCode reason() {
        return reason;
    }

    /**
     * Whether the same call may succeed later.
     *
     * @return false if the failure stays until something is changed
     */
    public boolean retriable() {
        return reason.retriable();
    }
}
