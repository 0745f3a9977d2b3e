package io.tidemark.coordination.spi;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The one place of this module that reads the machine's clock, draws random ids and makes threads; everything else
 * has them passed in.
 */
public final class SystemSeam {
    private SystemSeam() {}

    /**
     * The machine's monotonic clock.
     *
     * @return gives nanoseconds from an arbitrary origin
     */
    public static LongSupplier nanoClock() {
        return System::nanoTime;
    }

    /**
     * Makes a daemon thread.
     *
     * @param name its name, with the name of the client so that leaks can be traced
     * @param task what it runs
     * @return the thread, not started
     */
    public static Thread newDaemonThread(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /**
     * An executor that pauses before each task, on the machine's clock.
     *
     * @param pause how long
     * @return the executor; it shares one daemon thread of the JDK
     */
    public static Executor delayedExecutor(Duration pause) {
        return CompletableFuture.delayedExecutor(pause.toNanos(), TimeUnit.NANOSECONDS);
    }

    /**
     * A source of names that nobody else uses.
     *
     * @return gives a random id at each call
     */
    public static Supplier<UUID> randomIds() {
        return UUID::randomUUID;
    }
}
