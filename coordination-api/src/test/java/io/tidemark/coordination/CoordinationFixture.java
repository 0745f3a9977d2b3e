package io.tidemark.coordination;

import java.time.Duration;
import java.util.Optional;

/**
 * What a back end gives to {@link CoordinationContract}: clients of one service that is empty at first, and the
 * faults between them and the service. One fixture serves one test.
 */
public interface CoordinationFixture extends AutoCloseable {
    /**
     * Opens one more client of the service, also while that is stopped. The fixture leaves the clock and the name of
     * the configuration alone (a case may set its clock ahead), and closes the client at the end.
     */
    Coordination openClient(CoordinationConfig.Builder config);

    /** The time to live of the sessions in tests; as short as the service allows. */
    Duration ttl();

    /** How much later than its time to live the service may end a session that is not renewed. */
    Duration expirySlack();

    /** Makes the service unreachable for one client and all its sessions, until {@link #heal}. */
    void cutOff(Coordination client);

    /** Ends {@link #cutOff}. */
    void heal(Coordination client);

    /** Has the service end a session at once, whatever its client says. */
    void expire(Session session);

    /**
     * Stops the service, or so many of its servers that the others have no majority: nobody reaches it until
     * {@link #startService}. Its data stays.
     */
    void stopService();

    /** Ends {@link #stopService}. */
    void startService();

    /**
     * Loses the request of the client's next commit: it never reaches the service. What else goes between them may get
     * lost too, until {@link #cutOff} and {@link #heal}, which the case calls afterwards.
     */
    void dropNextRequest(Coordination client);

    /**
     * Loses the answer to the client's next commit, which the service receives. What else the service sends may get
     * lost too, until {@link #cutOff} and {@link #heal}, which the case calls afterwards.
     */
    void dropNextReply(Coordination client);

    /**
     * Has the service forget what changed up to now, as far as it keeps a history, so that a watch which missed
     * something cannot catch up by it.
     */
    void compactHistory();

    /**
     * Opens a client that may not write below {@code /guarded}, because its credentials are missing or wrong. Empty
     * only for a back end that knows no users; that one must refuse a configuration with credentials.
     */
    Optional<Coordination> openIntruder();

    /** Lets a little time pass: moves a virtual clock, or waits a moment. */
    void passTime();

    /** The monotonic clock of the clients. */
    long nowNs();

    /** Closes the clients and the service. */
    @Override
    void close();
}
