package io.tidemark.coordination.etcd;

import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/**
 * How one request ended. Immutable.
 *
 * @param status the verdict, of the member or of the connection
 * @param value the answer, null if there is none
 * @param maybeSent whether the request may have left this process
 * @param <R> the type of the answer
 */
record EtcdReply<R>(Status status, @Nullable R value, boolean maybeSent) {
    /** What an end means for the effect of the request. */
    enum Outcome {
        /** Answered. */
        OK,
        /** Nothing was applied: it was not sent, or refused before anything was done; another try may succeed. */
        NOT_APPLIED,
        /** The member refused it and applied nothing; another try would be refused as well. */
        REFUSED,
        /** It may have been applied, may be applied later, or never. */
        UNKNOWN
    }

    /** {@return what the end means} */
    Outcome outcome() {
        if (status.isOk() && value != null) {
            return Outcome.OK;
        }
        if (!maybeSent || EtcdErrors.isStaleToken(status)) {
            return Outcome.NOT_APPLIED;
        }
        return switch (status.getCode()) {
            case INVALID_ARGUMENT,
                    NOT_FOUND,
                    ALREADY_EXISTS,
                    PERMISSION_DENIED,
                    UNAUTHENTICATED,
                    RESOURCE_EXHAUSTED,
                    FAILED_PRECONDITION,
                    OUT_OF_RANGE,
                    UNIMPLEMENTED -> Outcome.REFUSED;
            case OK, CANCELLED, UNKNOWN, DEADLINE_EXCEEDED, ABORTED, INTERNAL, UNAVAILABLE, DATA_LOSS ->
                Outcome.UNKNOWN;
        };
    }
}
