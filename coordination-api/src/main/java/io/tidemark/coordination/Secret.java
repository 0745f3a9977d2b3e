package io.tidemark.coordination;

import io.tidemark.coordination.spi.SystemSeam;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * A password, or where it is found. Asked for anew at each use, so that it can be changed while the process runs.
 * Never shows what it holds in {@link #toString} or in a failure; two secrets are equal only if they are the same
 * object. Any thread.
 */
public final class Secret {
    /** How much a file that holds a secret may hold, in bytes. */
    public static final int FILE_SIZE_BYTES_MAX = 64 * 1024;

    /** Gives the secret, or throws with a text that is safe to show. */
    @FunctionalInterface
    private interface Source {
        String read() throws IOException;
    }

    private final Source source;
    private final String origin;

    private Secret(Source source, String origin) {
        this.source = source;
        this.origin = origin;
    }

    /**
     * A secret held in memory.
     *
     * @param value the password
     * @return the secret
     * @throws IllegalArgumentException if it is empty
     */
    public static Secret of(String value) {
        if (value.isEmpty()) {
            throw new IllegalArgumentException("a secret must not be empty; leave it out if there is none");
        }
        return new Secret(() -> value, "memory");
    }

    /**
     * A secret that somebody else keeps, such as a vault.
     *
     * @param supplier gives the password; called at each use, from any thread, and should not block for long
     * @return the secret
     */
    public static Secret from(Supplier<String> supplier) {
        Objects.requireNonNull(supplier, "supplier");
        return from(supplier, "supplier");
    }

    /**
     * A secret that somebody else keeps.
     *
     * @param supplier gives the password
     * @param origin says in texts where it comes from
     * @return the secret
     */
    static Secret from(Supplier<String> supplier, String origin) {
        return new Secret(supplier::get, origin);
    }

    /**
     * A secret in a file: all of its text but for line ends at the end.
     *
     * @param file the file, in UTF-8, at most {@link #FILE_SIZE_BYTES_MAX} long; read at each use
     * @return the secret
     */
    public static Secret file(Path file) {
        return new Secret(
                () -> withoutLineEnd(SystemSeam.readSecret(file, FILE_SIZE_BYTES_MAX)),
                "file=" + file.toAbsolutePath());
    }

    private static String withoutLineEnd(String text) {
        int length = text.length();
        while (length > 0 && (text.charAt(length - 1) == '\n' || text.charAt(length - 1) == '\r')) {
            length--;
        }
        return text.substring(0, length);
    }

    /**
     * The secret itself, for the call that needs it; not to be kept, logged or put into a message.
     *
     * @return the password, not empty
     * @throws CoordinationException if it cannot be had, or is empty; the text names the source only
     */
    public String reveal() {
        String value;
        try {
            value = source.read();
        } catch (IOException unreadable) {
            throw new CoordinationException(
                    "a secret cannot be read: " + origin + "; check that the file exists, is readable and small",
                    unreadable);
        } catch (RuntimeException thrown) {
            // The supplier's own failure is left out: its text may hold the secret.
            throw new CoordinationException("a secret cannot be read: " + origin + ", thrown="
                    + thrown.getClass().getName() + "; see to the source of the secret");
        }
        if (value == null || value.isEmpty()) {
            throw new CoordinationException("a secret is empty: " + origin + "; give one or leave it out");
        }
        return value;
    }

    /** Names the source, never the secret. */
    @Override
    public String toString() {
        return "Secret[" + origin + "]";
    }
}
