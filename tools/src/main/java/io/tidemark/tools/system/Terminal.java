package io.tidemark.tools.system;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Where a command reads and writes.
 *
 * @param in standard input
 * @param out for results
 * @param err for progress and errors
 * @param isInteractive true if a person looks at {@code err}, so that a line may be rewritten
 */
public record Terminal(InputStream in, PrintStream out, PrintStream err, boolean isInteractive) {
    private static final int BUFFER_SIZE = 1 << 16;

    /** Set by the launcher, which can ask the system; Java says it in another way in each version. */
    private static final String INTERACTIVE = "tidemark.interactive";

    /**
     * The standard streams of this process, in UTF-8. Results are buffered, so {@code out} has to be flushed at the
     * end.
     *
     * @return a terminal over the descriptors 0, 1 and 2
     */
    public static Terminal standard() {
        PrintStream out = new PrintStream(
                new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), BUFFER_SIZE),
                false,
                StandardCharsets.UTF_8);
        PrintStream err = new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
        return new Terminal(new FileInputStream(FileDescriptor.in), out, err, Boolean.getBoolean(INTERACTIVE));
    }
}
