package io.tidemark.coordination;

import java.time.Duration;

/**
 * What a back end gives to {@link CoordinationContract}: clients of one service that is empty at first, and the
 * faults between them and the service. One fixture serves one test.
 */
public interface CoordinationFixture extends AutoCloseable {
    /**
     * Opens one more client of the service. The fixture adds to the configuration what its back end needs (clock,
     * timeouts) and closes the client at the end.
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

    /** Lets a little time pass: moves a virtual clock, or waits a moment. */
    void passTime();

    /** The monotonic clock of the clients. */
    long nowNs();

    /** Closes the clients and the service. */
    @Override
    void close();
}
