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
        KILL(Family.PROCESS),
        /** F01, F04: the process that leads a partition is killed and started again. */
        KILL_LEADER(Family.PROCESS),
        /** F01: the process dies inside a call of its disk. */
        CRASH_IN_DISK_CALL(Family.PROCESS),
        /** F02, F11: power fails; what was not forced is lost. */
        POWER(Family.PROCESS),
        /** F03, F09: the process stands still. */
        PAUSE(Family.PROCESS),
        /** F06: the broker is stopped in good order and started again. */
        STOP(Family.PROCESS),
        /** F24, F28: a path is cut both ways. */
        CUT(Family.NETWORK),
        /** F28: a path is cut one way. */
        CUT_ONE_WAY(Family.NETWORK),
        /** F28, F30: a broker is cut from all others. */
        ISOLATE(Family.NETWORK),
        /** F30: a broker is cut from the clients. */
        CUT_CLIENTS(Family.NETWORK),
        /** F31: connections are reset in the middle of what they send. */
        RESET(Family.NETWORK),
        /** F33: batches are damaged on their way. */
        DAMAGE(Family.NETWORK),
        /** F31, F34: something refuses connections in the name of a broker that lives. */
        REFUSE(Family.NETWORK),
        /** F32: a path is slow. */
        SLOW(Family.NETWORK),
        /** F09: a machine is slow. */
        SLOW_MACHINE(Family.PROCESS),
        /** F30, F40: a broker does not reach coordination, and knows. */
        COORDINATION_DOWN(Family.COORDINATION),
        /** F40: a broker's messages to coordination vanish. */
        COORDINATION_SILENT(Family.COORDINATION),
        /** F40: nobody reaches coordination. */
        COORDINATION_ALL_DOWN(Family.COORDINATION),
        /** F39: the service ends a session. */
        EXPIRE(Family.COORDINATION),
        /** F41: a request is lost. */
        LOSE_REQUEST(Family.COORDINATION),
        /** F41: an answer is lost, the write is applied. */
        LOSE_ANSWER(Family.COORDINATION),
        /** F41: writes are applied, and their writer does not learn it. */
        LOSE_WRITE_ANSWER(Family.COORDINATION),
        /** F41: a request is applied long after its sender gave it up. */
        DELAY_REQUEST(Family.COORDINATION),
        /** F43: watches are told late. */
        HOLD_WATCHES(Family.COORDINATION),
        /** F44: watches start anew. */
        RESYNC(Family.COORDINATION),
        /** F14: a write fails. */
        WRITE_ERROR(Family.DISK),
        /** F15: a force fails. */
        FORCE_ERROR(Family.DISK),
        /** F16: the disk is full for a while. */
        DISK_FULL(Family.DISK),
        /** F01: a client is killed, and another begins. */
        KILL_CLIENT(Family.CLIENT),
        /** F35: the wall clock jumps. */
        CLOCK_JUMP(Family.PROCESS);

        private final Family family;

        Kind(Family family) {
            this.family = family;
        }

        /** Who does it. */
        Family family() {
            return family;
        }
    }

    /** What a fault is done to. */
    enum Family {
        PROCESS,
        NETWORK,
        DISK,
        COORDINATION,
        CLIENT
    }

    @Override
    public String toString() {
        return String.format(
                "%8.3f s  %-22s broker=%d other=%d for %.3f s, number=%d",
                atNs / 1e9, kind, broker, other, durationNs / 1e9, number);
    }
}
