package io.tidemark.broker;

import org.agrona.concurrent.UnsafeBuffer;

/** Checks that this JVM was started as the broker needs it. Stateless. */
final class JvmFlags {
    /** What Agrona's buffers need from the JVM. */
    static final String FLAG = "--add-exports java.base/jdk.internal.misc=ALL-UNNAMED";

    private JvmFlags() {}

    /**
     * Touches a buffer. Without the flag that fails with an error which no operator understands.
     *
     * @throws BrokerStartException if the flag is missing; the message names it
     */
    static void check() {
        check(() -> new UnsafeBuffer(new byte[Long.BYTES]).putLong(0, 1));
    }

    /**
     * Runs something that needs the flag.
     *
     * @param needsFlag what to run
     * @throws BrokerStartException if it could not be linked
     */
    static void check(Runnable needsFlag) {
        try {
            needsFlag.run();
        } catch (LinkageError missing) {
            throw new BrokerStartException(
                    "a JVM flag is missing: off-heap buffers cannot be used; start java with " + FLAG, missing);
        }
    }
}
