package io.tidemark.coordination.etcd;

import io.grpc.Status;
import io.tidemark.coordination.AccessDeniedException;
import io.tidemark.coordination.ConnectionLostException;
import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.TooLargeException;
import java.security.GeneralSecurityException;
import java.util.List;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Turns etcd's verdicts into failures. etcd tells some of them apart by their texts only, which are part of its
 * interface. Pure.
 */
final class EtcdErrors {
    /** The token was given by a member that has restarted, or has run out. */
    private static final List<String> STALE_TOKEN = List.of("invalid auth token", "revision of auth store is old");

    private static final List<String> WRONG_CREDENTIALS =
            List.of("authentication failed", "user name is empty", "user name not found", "permission denied");
    private static final List<String> AUTH_OFF = List.of("authentication is not enabled");
    private static final List<String> LEASE_GONE = List.of("requested lease not found");
    private static final List<String> COMPACTED = List.of("required revision has been compacted");
    private static final List<String> TOO_LARGE = List.of("request is too large", "too many operations");
    private static final List<String> OVERLOADED = List.of("too many requests");
    private static final int CAUSES_MAX = 16;

    private EtcdErrors() {}

    private static boolean says(Status status, List<String> texts) {
        String description = status.getDescription();
        return description != null && texts.stream().anyMatch(description::contains);
    }

    /**
     * Tells whether a new token is needed; nothing was applied then.
     *
     * @param status the verdict
     * @return true if so
     */
    static boolean isStaleToken(Status status) {
        return says(status, STALE_TOKEN);
    }

    /**
     * Tells whether the cluster works without users.
     *
     * @param status the verdict on an authentication
     * @return true if so
     */
    static boolean isAuthOff(Status status) {
        return says(status, AUTH_OFF);
    }

    /**
     * Tells whether a lease is not there; nothing was applied then.
     *
     * @param status the verdict
     * @return true if so
     */
    static boolean isLeaseGone(Status status) {
        return status.getCode() == Status.Code.NOT_FOUND && says(status, LEASE_GONE);
    }

    /**
     * Tells whether a revision cannot be read any more.
     *
     * @param status the verdict
     * @return true if so
     */
    static boolean isCompacted(Status status) {
        return says(status, COMPACTED);
    }

    /**
     * Tells whether the user, the password, a certificate or the permissions are not good enough.
     *
     * @param status the verdict
     * @return true if so
     */
    static boolean isDenied(Status status) {
        return switch (status.getCode()) {
            case PERMISSION_DENIED, UNAUTHENTICATED -> !isStaleToken(status);
            case INVALID_ARGUMENT, FAILED_PRECONDITION -> says(status, WRONG_CREDENTIALS);
            case UNAVAILABLE, UNKNOWN, INTERNAL -> isCausedByTls(status.getCause());
            default -> false;
        };
    }

    private static boolean isCausedByTls(@Nullable Throwable failure) {
        Throwable cause = failure;
        for (int i = 0; i < CAUSES_MAX && cause != null; i++) {
            // A connection that breaks during a handshake is no verdict; an alert or a bad certificate is.
            String text = String.valueOf(cause.getMessage());
            if (cause instanceof GeneralSecurityException
                    || (cause instanceof SSLException && text.contains("alert"))) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    /**
     * A member refused a request; nothing was applied.
     *
     * @param status the verdict
     * @param what what was asked for
     * @param servers whom
     * @return the failure
     */
    static CoordinationException refused(Status status, String what, String servers) {
        String where = "verdict=" + verdict(status) + ", call=" + what + ", servers=" + servers;
        if (isDenied(status)) {
            return denied(status, what, servers);
        }
        if (says(status, TOO_LARGE)) {
            return new TooLargeException("etcd takes less than usual: " + where
                    + "; raise max-txn-ops or max-request-bytes of the members, or split it");
        }
        if (says(status, OVERLOADED)) {
            return new ConnectionLostException("etcd did not take a request: " + where + "; try again");
        }
        return new CoordinationException("etcd refused a request: " + where);
    }

    /**
     * Access was denied.
     *
     * @param status the verdict
     * @param what what was asked for
     * @param servers whom
     * @return the failure
     */
    static AccessDeniedException denied(Status status, String what, String servers) {
        return new AccessDeniedException("etcd denied access: verdict=" + verdict(status) + ", call=" + what
                + ", servers=" + servers + "; check the user, its password and role, and the certificates");
    }

    /**
     * The verdict in one line.
     *
     * @param status the verdict
     * @return its code and text; never a secret
     */
    static String verdict(Status status) {
        Throwable cause = status.getCause();
        return status.getCode()
                + (status.getDescription() == null ? "" : " (" + status.getDescription() + ")")
                + (cause == null ? "" : " caused by " + cause);
    }
}
