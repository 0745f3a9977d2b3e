package io.tidemark.coordination;

import java.time.Duration;
import java.util.List;

/**
 * A service of three members, and the faults of single ones. What a back end on such a service gives to
 * {@link EnsembleContract}, and, through {@link EnsembleClients}, to {@link CoordinationContract}. One fixture serves
 * all cases of a class. {@link ServiceEnsemble} does most of it for servers in processes of their own.
 */
public interface EnsembleFixture extends AutoCloseable {
    /** The number of members. */
    int MEMBERS = 3;

    /**
     * Opens a client that knows all members, each through a proxy of its own, and keeps its keys below a directory. The
     * case closes it.
     */
    Coordination openClient(String dir, CoordinationConfig.Builder config);

    /** Opens a client that knows one member only. The case closes it. */
    Coordination openClientOf(int member, String dir, CoordinationConfig.Builder config);

    /** The ways of a client to its members, in their order; empty if it is not a client of this. */
    List<TcpProxy> proxies(Coordination client);

    /** Makes one member unreachable for a client of {@link #openClient}, until {@link #heal}. */
    default void cutOff(Coordination client, int member) {
        proxies(client).get(member).cut();
    }

    /** Ends {@link #cutOff} for a client. */
    default void heal(Coordination client) {
        proxies(client).forEach(TcpProxy::heal);
    }

    /** Has the service end a session at once, whatever its client says. */
    void expire(Session session);

    /** Has the service forget what changed up to now, as far as it keeps a history. */
    void compactHistory();

    /**
     * Opens a client that may not write below {@code /guarded} of a directory, because its credentials are missing or
     * wrong. Others may be kept out too, until {@link #repair}. The case closes it.
     */
    Coordination openIntruder(String dir);

    /** More bytes than a client sends of itself in a moment, and not more than the request of a write has. */
    int requestBytesMin();

    /** The member that leads the service now; waits until there is one. */
    int leader();

    /** Ends a member as SIGKILL does. Its data stays. */
    void kill(int member);

    /** Starts a member again, and waits until it serves. */
    void start(int member);

    /** Lets a member stand still: its connections live, and it answers nobody. */
    void pause(int member);

    /** Ends {@link #pause}. */
    void resume(int member);

    /** Starts and resumes all members that need it, lets everybody in, and waits until the service serves. */
    void repair();

    /** The shortest time to live that the service grants. */
    Duration ttl();

    /** Ends all members. */
    @Override
    void close();
}
