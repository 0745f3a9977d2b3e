package io.tidemark.tools.demo;

import io.tidemark.tools.system.Machine;
import io.tidemark.tools.system.Terminal;
import java.util.Locale;

/**
 * Tells on the error stream how the run goes. A progress line is rewritten on a terminal; elsewhere one line is
 * written for each tenth. Any thread.
 */
final class Narrator {
    private static final int LABEL_WIDTH = 12;
    private static final long REWRITE_INTERVAL_NS = 100_000_000;

    private final Terminal terminal;
    private boolean isLineOpen;
    private boolean isSilent;
    private long lastRewriteNs;
    private int lastTenth = -1;

    /**
     * Prepares.
     *
     * @param terminal where to write
     */
    Narrator(Terminal terminal) {
        this.terminal = terminal;
        this.lastRewriteNs = Machine.nanoTime() - REWRITE_INTERVAL_NS;
    }

    /**
     * Tells one step.
     *
     * @param label a word
     * @param format what follows, as of {@link String#format}
     * @param args its arguments
     */
    synchronized void tell(String label, String format, Object... args) {
        if (isSilent) {
            return;
        }
        endLine();
        terminal.err()
                .printf(Locale.ROOT, "%-" + LABEL_WIDTH + "s %s%n", label, String.format(Locale.ROOT, format, args));
    }

    /**
     * Tells how far a count has come.
     *
     * @param label a word
     * @param done how many
     * @param total of how many
     * @param note what else to say
     */
    synchronized void progress(String label, long done, long total, String note) {
        if (isSilent) {
            return;
        }
        String text = String.format(Locale.ROOT, "%-" + LABEL_WIDTH + "s %,d of %,d %s", label, done, total, note);
        if (terminal.isInteractive()) {
            long nowNs = Machine.nanoTime();
            if (nowNs - lastRewriteNs >= REWRITE_INTERVAL_NS || done == total) {
                lastRewriteNs = nowNs;
                terminal.err().print("\r\u001b[K" + text);
                isLineOpen = true;
            }
        } else {
            int tenth = (int) (done * 10 / Math.max(1, total));
            if (tenth != lastTenth) {
                lastTenth = tenth;
                terminal.err().println(text);
            }
        }
    }

    /** Says no more: the process is ending, and what still fails is of no interest. */
    synchronized void fallSilent() {
        endLine();
        isSilent = true;
    }

    private void endLine() {
        if (isLineOpen) {
            terminal.err().println();
            isLineOpen = false;
        }
    }
}
