package io.tidemark.log.io;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * An open file. Reads and writes name their position and may be done by any thread. Reading and writing are loops
 * inside: they end complete, at the end of the file (reads only), or with an exception.
 */
public interface FileHandle extends Closeable {
    /**
     * Reads until the buffer is full or the file ends.
     *
     * @param target to fill from its position to its limit
     * @param position in the file
     * @return number of bytes read, 0 at the end of the file
     * @throws IOException when the disk cannot read
     */
    int read(ByteBuffer target, long position) throws IOException;

    /**
     * Writes all bytes of the buffer.
     *
     * @param source to take from its position to its limit
     * @param position in the file; the file grows when it ends before
     * @throws IOException when not all could be written; some may have been
     */
    void write(ByteBuffer source, long position) throws IOException;

    /**
     * The size of the file.
     *
     * @return bytes
     * @throws IOException when it cannot be had
     */
    long size() throws IOException;

    /**
     * Cuts the file. Nothing happens when it is not longer.
     *
     * @param size the new size in bytes
     * @throws IOException when it cannot be cut
     */
    void truncate(long size) throws IOException;

    /**
     * Makes the content durable: what was written by {@link #write} and what was stored into mappings.
     *
     * @throws IOException when it may not be durable; asking again proves nothing
     */
    void force() throws IOException;

    /**
     * Maps the file from its beginning. A writable mapping makes a shorter file longer, without blocks.
     *
     * @param size bytes to map, 1 or more; for a read-only mapping not more than the file has
     * @param writable whether the mapping will be stored into
     * @return the mapping, with one reference which the caller releases; it outlives this handle
     * @throws IOException when it cannot be mapped
     */
    MappedFile map(int size, boolean writable) throws IOException;
}
