package io.tidemark.sim;

/**
 * A machine: it has a name on the network, a kernel that answers for dead processes, and power. Processes come and go
 * on it.
 */
final class SimMachine {
    final String host;
    /** Whether the kernel runs; without it nobody refuses a connection. */
    boolean powered = true;
    /** Steps of this machine's agents take so many times longer. */
    int slowness = 1;
    /** Difference of this machine's wall clock from the true one, in milliseconds. */
    long wallClockOffsetMs;

    /** How fast this machine's monotonic clock goes, against the true one. */
    final double clockRate;

    SimMachine(String host) {
        this(host, 1);
    }

    SimMachine(String host, double clockRate) {
        this.host = host;
        this.clockRate = clockRate;
    }
}
