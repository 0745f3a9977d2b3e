package io.tidemark.coordination;

import java.time.Duration;

/**
 * A service of three members, and the faults of single ones. What a back end on such a service gives to
 * {@link EnsembleContract}, beside the {@link CoordinationFixture} of the main contract. One fixture serves all cases.
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

    /** Makes one member unreachable for a client of {@link #openClient}, until {@link #heal}. */
    void cutOff(Coordination client, int member);

    /** Ends {@link #cutOff} for a client. */
    void heal(Coordination client);

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

    /** Starts and resumes all members that need it, and waits until the service serves. */
    void repair();

    /** The shortest time to live that the service grants. */
    Duration ttl();

    /** Ends all members. */
    @Override
    void close();
}
