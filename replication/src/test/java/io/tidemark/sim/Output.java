package io.tidemark.sim;

import java.io.PrintStream;

/** Where the simulator prints: the one place that names the process's output. */
final class Output {
    private static final PrintStream OUT = System.out;

    private Output() {}

    static void line(String text) {
        OUT.println(text);
    }
}
