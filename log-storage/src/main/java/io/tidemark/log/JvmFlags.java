package io.tidemark.log;

import org.agrona.DirectBuffer;

/**
 * Checks that the JVM was started with the one flag that Agrona needs. Without it Agrona's buffers end in an
 * {@code IllegalAccessError} far from the cause, so every entry point asks here first.
 */
public final class JvmFlags {
    private static final String PACKAGE = "jdk.internal.misc";

    private JvmFlags() {}

    /**
     * Does nothing when Agrona can work. This method itself loads no class that needs the flag.
     *
     * @throws IllegalStateException when the flag is missing; the message holds the flag
     */
    public static void require() {
        // A class literal does not initialize the class.
        final Module agrona = DirectBuffer.class.getModule();
        final Module base = Object.class.getModule();
        if (!base.isExported(PACKAGE, agrona)) {
            throw new IllegalStateException("the JVM was started without a flag that Agrona needs; add: "
                    + flagFor(agrona.isNamed() ? agrona.getName() : "ALL-UNNAMED"));
        }
    }

    private static String flagFor(String target) {
        return "--add-exports java.base/" + PACKAGE + "=" + target;
    }
}
