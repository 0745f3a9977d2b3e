package io.tidemark.coordination.spi;

import java.util.function.LongSupplier;

/**
 * The one place of this module that reads the machine's clock and makes threads; everything else has them passed in.
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
}
