package io.tidemark.coordination;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A server in a process of its own, which can be killed, started again, and stopped for a while. It ends with this
 * process in any case: its guard, a shell, kills it when the pipe to this process closes. One controller for the
 * servers of all back ends. Not thread-safe.
 */
public final class ServiceProcess implements AutoCloseable {
    private static final Duration DEADLINE = Duration.ofSeconds(90);
    private static final int FIRST_PORT = 15_000;
    private static final int END_PORT = 32_000;
    private static final int PORTS_TRIED_MAX = 1_000;
    private static final int PORT_STEP = 7;
    /** Processes that test at the same time begin in different places. */
    private static final AtomicInteger NEXT_PORT =
            new AtomicInteger((int) (ProcessHandle.current().pid() * 131 % (END_PORT - FIRST_PORT)));

    private static final String GUARD = "exec 3<&0; pid=$1; shift; \"$@\" & child=$!; echo $child > \"$pid\";"
            + " (cat > /dev/null; kill -9 $child) <&3 & wait $child";

    private final List<String> command;
    private final Path log;
    private final Path pidFile;
    private @Nullable Process process;

    /**
     * Prepares a process.
     *
     * @param command the program and its arguments
     * @param log where its output is appended
     */
    public ServiceProcess(List<String> command, Path log) {
        this.command = List.copyOf(command);
        this.log = log;
        this.pidFile = log.resolveSibling(log.getFileName() + ".pid");
    }

    /**
     * A port of the loopback address that is free now, below the range that the kernel gives to outgoing connections: a
     * port of that range may be taken, while its server is down, by the very clients that try to reach it.
     */
    public static int freePort() {
        for (int tried = 0; tried < PORTS_TRIED_MAX; tried++) {
            int port = FIRST_PORT + Math.floorMod(NEXT_PORT.getAndAdd(PORT_STEP), END_PORT - FIRST_PORT);
            if (isFree(port)) {
                return port;
            }
        }
        throw new AssertionError("no free port: from=" + FIRST_PORT + ", to=" + END_PORT);
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException taken) {
            return false;
        }
    }

    /** Starts the process, for the first time or again. */
    public void start() {
        if (process != null) {
            throw new IllegalStateException("the process runs: command=" + command);
        }
        List<String> guarded = new ArrayList<>(List.of("sh", "-c", GUARD, "guard", pidFile.toString()));
        guarded.addAll(command);
        try {
            Files.deleteIfExists(pidFile);
            process = new ProcessBuilder(guarded)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
        } catch (IOException failed) {
            throw new UncheckedIOException("the process cannot be started: command=" + command, failed);
        }
    }

    /**
     * Waits until the server serves.
     *
     * @param serves whether it does
     * @return false if the process has ended instead
     */
    public boolean awaitServing(BooleanSupplier serves) {
        long beganNs = System.nanoTime();
        while (!serves.getAsBoolean()) {
            if (!isAlive()) {
                return false;
            }
            if (System.nanoTime() - beganNs > DEADLINE.toNanos()) {
                throw new AssertionError("the server does not serve after " + DEADLINE + ": log=" + logText());
            }
            LockSupport.parkNanos(10_000_000);
        }
        return isAlive();
    }

    /** Whether the process was started and has not ended. */
    public boolean isAlive() {
        Process running = process;
        return running != null && running.isAlive();
    }

    /** What the process has written. */
    public String logText() {
        try {
            return Files.readString(log);
        } catch (IOException failed) {
            return "unreadable: " + failed;
        }
    }

    /** Ends the process as SIGKILL does, also while it stands still. Nothing happens if it does not run. */
    public void kill() {
        Process running = process;
        process = null;
        if (running == null) {
            return;
        }
        try {
            running.getOutputStream().close();
            if (!running.waitFor(DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError("the process does not end: pid=" + running.pid());
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("the process cannot be ended: pid=" + running.pid(), failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while a process ended", interrupted);
        }
    }

    /** Lets the process stand still as SIGSTOP does: its connections live, and nobody answers. */
    public void pause() {
        signal("-STOP");
    }

    /** Ends {@link #pause}. */
    public void resume() {
        signal("-CONT");
    }

    private void signal(String name) {
        try {
            Process kill = new ProcessBuilder(
                            "kill", name, Files.readString(pidFile).strip())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            if (!kill.waitFor(DEADLINE.toSeconds(), TimeUnit.SECONDS) || kill.exitValue() != 0) {
                throw new AssertionError("no signal can be sent: signal=" + name + ", log=" + logText());
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("no signal can be sent: signal=" + name, failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while a signal was sent", interrupted);
        }
    }

    @Override
    public void close() {
        kill();
    }
}
