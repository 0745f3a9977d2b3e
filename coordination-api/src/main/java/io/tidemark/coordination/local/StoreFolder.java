package io.tidemark.coordination.local;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The folder of a durable store: the seam to the disk, so that tests can break it at every step. One thread. */
interface StoreFolder extends AutoCloseable {
    /** A file that grows. */
    interface Output extends AutoCloseable {
        /**
         * Adds bytes at the end.
         *
         * @param bytes all of them are written
         * @throws IOException if not all were written
         */
        void write(byte[] bytes) throws IOException;

        /**
         * Has everything written so far reach the disk.
         *
         * @throws IOException if that is not certain
         */
        void force() throws IOException;

        @Override
        void close() throws IOException;
    }

    /**
     * Where it is, for messages.
     *
     * @return the absolute path
     */
    String path();

    /**
     * Makes the folder if it is missing, and takes it for this process.
     *
     * @return false if another store has it, in this process or another one
     * @throws IOException if the folder cannot be made or written
     */
    boolean tryLock() throws IOException;

    /**
     * Reads a whole file.
     *
     * @param name its name in the folder
     * @return its bytes, or null if there is none
     * @throws IOException if it cannot be read
     */
    byte @Nullable [] read(String name) throws IOException;

    /**
     * Begins a file, in place of one that may be there.
     *
     * @param name its name in the folder
     * @return takes its bytes
     * @throws IOException if it cannot be made
     */
    Output create(String name) throws IOException;

    /**
     * Gives a file another name at once, in place of one that may be there.
     *
     * @param from the present name
     * @param to the new name
     * @throws IOException if it cannot be renamed
     */
    void rename(String from, String to) throws IOException;

    /**
     * Has the names in the folder reach the disk.
     *
     * @throws IOException if that is not certain
     */
    void force() throws IOException;

    /** Gives the folder up. Idempotent. */
    @Override
    void close() throws IOException;
}
