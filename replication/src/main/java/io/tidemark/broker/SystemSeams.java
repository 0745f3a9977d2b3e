package io.tidemark.broker;

import io.tidemark.log.LogStore;
import io.tidemark.transport.NettyTransport;
import java.security.SecureRandom;
import java.util.random.RandomGenerator;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.SystemNanoClock;

/**
 * The one place of this module that makes threads and takes clocks and randomness from the machine; everything else has
 * them passed in.
 */
final class SystemSeams {
    private SystemSeams() {}

    /**
     * The machine's monotonic clock.
     *
     * @return a clock
     */
    static NanoClock nanoClock() {
        return SystemNanoClock.INSTANCE;
    }

    /**
     * The machine's wall clock.
     *
     * @return a clock
     */
    static EpochClock epochClock() {
        return SystemEpochClock.INSTANCE;
    }

    /**
     * Randomness good enough for ids that must never meet.
     *
     * @return a generator of its own
     */
    static RandomGenerator random() {
        return new SecureRandom();
    }

    /**
     * The surroundings of a broker on this machine: its clocks, its network, its file system.
     *
     * @return the seams
     */
    static BrokerAgents.Seams ofBroker() {
        return new BrokerAgents.Seams(nanoClock(), epochClock(), random(), NettyTransport.factory(), LogStore::open);
    }

    /**
     * Makes a daemon thread, so that a host which forgets to close a broker can end.
     *
     * @param name its name, with the broker's id
     * @param task what it runs
     * @return the thread, not started
     */
    static Thread newThread(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }
}
