package io.tidemark.coordination;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A real server in a process of its own, alone or a member of a {@link ServiceEnsemble}: what the servers of all back
 * ends have in common. Killed and started again, it keeps its ports and its data. Not thread-safe.
 */
public abstract class ServiceMember implements AutoCloseable {
    private @Nullable ServiceProcess process;

    /** Prepares a server that does not run yet. */
    protected ServiceMember() {}

    /** Starts the process and does not wait. */
    public abstract void launch();

    /** The port for clients, the same for the whole life. */
    public abstract int port();

    /** Whether it serves now, by its own word; a member only if its ensemble has a leader. */
    protected abstract boolean serves();

    /** Whether it leads its ensemble, by its own word. */
    public abstract boolean isLeader();

    /** Runs a program whose output is appended to a log. */
    protected final void launch(List<String> command, Path log) {
        ServiceProcess next = new ServiceProcess(command, log);
        process = next;
        next.start();
    }

    /** Waits until it serves. */
    public final void awaitServing() {
        if (!servesOrEnds()) {
            throw new AssertionError("the server has ended: port=" + port() + ", log=" + logText());
        }
    }

    /** Waits until it serves, and tells whether it does, or has ended instead. */
    protected final boolean servesOrEnds() {
        return requireRunning().awaitServing(this::serves);
    }

    /** Starts it, for the first time or after {@link #kill}, and waits until it serves. */
    public final void restart() {
        launch();
        awaitServing();
    }

    /** Starts it again if it was killed. */
    public final void ensureRunning() {
        if (!isRunning()) {
            restart();
        }
    }

    /** Whether it was started and not killed. */
    public final boolean isRunning() {
        return process != null;
    }

    /** Ends the process as SIGKILL does. The data stays. Nothing happens if it does not run. */
    public void kill() {
        ServiceProcess running = process;
        process = null;
        if (running != null) {
            running.kill();
        }
    }

    /** Lets it stand still: its connections live, and it answers nobody. */
    public final void pause() {
        requireRunning().pause();
    }

    /** Ends {@link #pause}. */
    public final void resume() {
        requireRunning().resume();
    }

    private ServiceProcess requireRunning() {
        ServiceProcess running = process;
        if (running == null) {
            throw new IllegalStateException("the server is stopped: port=" + port());
        }
        return running;
    }

    /** What the process has written. */
    protected final String logText() {
        ServiceProcess last = process;
        return last == null ? "none" : last.logText();
    }

    @Override
    public final void close() {
        kill();
    }
}
