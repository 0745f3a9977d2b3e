package io.tidemark.sim;

/**
 * One thing that goes wrong in a run, planned before it, so that a shorter list of the same faults can be tried.
 *
 * @param atNs when, from the start of the run
 * @param kind what
 * @param broker whom it meets
 * @param other the other end of a path
 * @param durationNs how long it lasts
 * @param number what else there is to choose
 */
record Fault(long atNs, Kind kind, int broker, int other, long durationNs, int number) {
    /** Kinds of faults, with the numbers of the list in CORRECTNESS (F01 and on). */
    enum Kind {
        /** F01, F04: the process is killed and started again. */
        KILL,
        /** F01: the process dies inside a call of its disk. */
        CRASH_IN_DISK_CALL,
        /** F02, F11: power fails; what was not forced is lost. */
        POWER,
        /** F03, F09: the process stands still. */
        PAUSE,
        /** F06: the broker is stopped in good order and started again. */
        STOP,
        /** F24, F28: a path is cut both ways. */
        CUT,
        /** F28: a path is cut one way. */
        CUT_ONE_WAY,
        /** F28, F30: a broker is cut from all others. */
        ISOLATE,
        /** F30: a broker is cut from the clients. */
        CUT_CLIENTS,
        /** F31: connections are reset in the middle of what they send. */
        RESET,
        /** F32: a path is slow. */
        SLOW,
        /** F09: a machine is slow. */
        SLOW_MACHINE,
        /** F30, F40: a broker does not reach coordination, and knows. */
        COORDINATION_DOWN,
        /** F40: a broker's messages to coordination vanish. */
        COORDINATION_SILENT,
        /** F40: nobody reaches coordination. */
        COORDINATION_ALL_DOWN,
        /** F39: the service ends a session. */
        EXPIRE,
        /** F41: a request is lost. */
        LOSE_REQUEST,
        /** F41: an answer is lost, the write is applied. */
        LOSE_ANSWER,
        /** F41: a request is applied long after its sender gave it up. */
        DELAY_REQUEST,
        /** F43: watches are told late. */
        HOLD_WATCHES,
        /** F44: watches start anew. */
        RESYNC,
        /** F14: a write fails. */
        WRITE_ERROR,
        /** F15: a force fails. */
        FORCE_ERROR,
        /** F16: the disk is full for a while. */
        DISK_FULL,
        /** F01: a client is killed, and another begins. */
        KILL_CLIENT,
        /** F35: the wall clock jumps. */
        CLOCK_JUMP
    }

    @Override
    public String toString() {
        return String.format(
                "%8.3f s  %-22s broker=%d other=%d for %.3f s, number=%d",
                atNs / 1e9, kind, broker, other, durationNs / 1e9, number);
    }
}
