package io.tidemark.coordination.spi;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The one place of this module that reads the machine's clock, draws random ids, makes threads and reads files with
 * secrets; everything else has them passed in.
 */
public final class SystemSeam {
    private SystemSeam() {}

    /**
     * The machine's monotonic clock.
     *
     * @return gives nanoseconds from an arbitrary origin
     */
    public static LongSupplier nanoClock() {
        return System::nanoTime;
    }

    /**
     * Makes a daemon thread.
     *
     * @param name its name, with the name of the client so that leaks can be traced
     * @param task what it runs
     * @return the thread, not started
     */
    public static Thread newDaemonThread(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /**
     * An executor that pauses before each task, on the machine's clock.
     *
     * @param pause how long
     * @return the executor; it shares one daemon thread of the JDK
     */
    public static Executor delayedExecutor(Duration pause) {
        return CompletableFuture.delayedExecutor(pause.toNanos(), TimeUnit.NANOSECONDS);
    }

    /**
     * A source of names that nobody else uses.
     *
     * @return gives a random id at each call
     */
    public static Supplier<UUID> randomIds() {
        return UUID::randomUUID;
    }

    /**
     * Reads a small file as text.
     *
     * @param file the file, in UTF-8
     * @param sizeBytesMax how long it may be
     * @return its text
     * @throws IOException if it cannot be read, is longer, or is not UTF-8; names the file and not what is in it
     */
    public static String readSecret(Path file, int sizeBytesMax) throws IOException {
        return StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(readFile(file, sizeBytesMax)))
                .toString();
    }

    /**
     * Reads a small file.
     *
     * @param file the file
     * @param sizeBytesMax how long it may be
     * @return what is in it
     * @throws IOException if it cannot be read or is longer; names the file and not what is in it
     */
    public static byte[] readFile(Path file, int sizeBytesMax) throws IOException {
        try (InputStream input = Files.newInputStream(file)) {
            byte[] bytes = input.readNBytes(sizeBytesMax + 1);
            if (bytes.length > sizeBytesMax) {
                throw new IOException("file is too long: file=" + file + ", sizeBytesMax=" + sizeBytesMax);
            }
            return bytes;
        }
    }
}
