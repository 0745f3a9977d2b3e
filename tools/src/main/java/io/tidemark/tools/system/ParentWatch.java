package io.tidemark.tools.system;

import java.io.IOException;
import java.io.InputStream;

/**
 * Notices that the parent process is gone: the parent holds the other end of our standard input and never writes to
 * it, so its end, even by SIGKILL, is the end of the stream.
 */
public final class ParentWatch {
    private ParentWatch() {}

    /**
     * Begins to watch, on a daemon thread that ends with the stream.
     *
     * @param in standard input
     * @param onGone what to do when the parent is gone
     */
    public static void start(InputStream in, Runnable onGone) {
        Thread thread = new Thread(() -> drain(in, onGone), "tidemark-parent-watch");
        thread.setDaemon(true);
        thread.start();
    }

    private static void drain(InputStream in, Runnable onGone) {
        try {
            in.transferTo(java.io.OutputStream.nullOutputStream());
        } catch (IOException brokenPipe) {
            // A broken pipe means what its end means: nobody holds the other side any more.
            onGone.run();
            return;
        }
        onGone.run();
    }
}
