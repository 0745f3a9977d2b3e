package io.tidemark.log.io;

import io.tidemark.log.io.FileSystem.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/**
 * A file by a channel. Java closes a channel for everybody when one thread that uses it is interrupted; a host that
 * cancels a task would end a log by that. So an interrupt is kept from the channel while it is used, and if one comes
 * in the middle of a call, the file is opened again and the call goes on. Only a force is not repeated then: whether it
 * failed is not known, and a later one would not say so (D-05). Any thread.
 */
final class ChannelHandle implements FileHandle {
    private final Path path;
    private final OpenMode mode;
    private final @Nullable Object fileKey;
    private volatile FileChannel channel;
    private volatile boolean closed;

    /**
     * Takes over a channel.
     *
     * @param path of the file
     * @param mode how it was opened
     * @param channel of the file
     * @throws IOException when the file has no attributes
     */
    ChannelHandle(Path path, OpenMode mode, FileChannel channel) throws IOException {
        this.path = path;
        this.mode = mode;
        this.channel = channel;
        this.fileKey = keyOf(path);
    }

    private static @Nullable Object keyOf(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    }

    /** Opens the file again after an interrupt closed it; the same file, not another one of that name. */
    private synchronized void reopen(FileChannel broken, ClosedChannelException cause) throws IOException {
        if (closed) {
            throw cause;
        }
        if (channel == broken) {
            final OpenOption[] options = mode == OpenMode.READ
                    ? new OpenOption[] {StandardOpenOption.READ}
                    : new OpenOption[] {StandardOpenOption.READ, StandardOpenOption.WRITE};
            final FileChannel again = FileChannel.open(path, options);
            final Object key = keyOf(path);
            if (key == null || !key.equals(fileKey)) {
                again.close();
                throw new IOException("an interrupt closed the file, which has no name any more: file=" + path, cause);
            }
            channel = again;
        }
    }

    private static void restore(boolean wasInterrupted) {
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        final int start = target.position();
        boolean isInterrupted = Thread.interrupted();
        try {
            while (target.hasRemaining()) {
                final FileChannel current = channel;
                try {
                    // By the buffer's position: an interrupted call may have read all the same.
                    if (current.read(target, position + (target.position() - start)) < 0) {
                        break;
                    }
                } catch (final ClosedChannelException e) {
                    isInterrupted |= Thread.interrupted();
                    reopen(current, e);
                }
            }
        } finally {
            restore(isInterrupted);
        }
        return target.position() - start;
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
        final int start = source.position();
        boolean isInterrupted = Thread.interrupted();
        try {
            while (source.hasRemaining()) {
                final FileChannel current = channel;
                try {
                    current.write(source, position + (source.position() - start));
                } catch (final ClosedChannelException e) {
                    isInterrupted |= Thread.interrupted();
                    reopen(current, e);
                }
            }
        } catch (final ClosedChannelException e) {
            throw e;
        } catch (final IOException e) {
            throw SystemFileSystem.translated(path, e);
        } finally {
            restore(isInterrupted);
        }
    }

    @Override
    public long size() throws IOException {
        boolean isInterrupted = Thread.interrupted();
        try {
            while (true) {
                final FileChannel current = channel;
                try {
                    return current.size();
                } catch (final ClosedChannelException e) {
                    isInterrupted |= Thread.interrupted();
                    reopen(current, e);
                }
            }
        } finally {
            restore(isInterrupted);
        }
    }

    @Override
    public void truncate(long size) throws IOException {
        boolean isInterrupted = Thread.interrupted();
        try {
            while (true) {
                final FileChannel current = channel;
                try {
                    current.truncate(size);
                    return;
                } catch (final ClosedChannelException e) {
                    isInterrupted |= Thread.interrupted();
                    reopen(current, e);
                }
            }
        } finally {
            restore(isInterrupted);
        }
    }

    @Override
    public void force() throws IOException {
        boolean isInterrupted = Thread.interrupted();
        final FileChannel current = channel;
        try {
            if (!current.isOpen()) {
                reopen(current, new ClosedChannelException());
            }
            channel.force(false);
        } catch (final ClosedChannelException e) {
            isInterrupted |= Thread.interrupted();
            reopen(current, e);
            throw new IOException(
                    "interrupted while forcing, so that nobody knows what is on the disk: file=" + path, e);
        } finally {
            restore(isInterrupted);
        }
    }

    @Override
    public MappedFile map(int size, boolean writable) throws IOException {
        final FileChannel.MapMode mapMode = writable ? FileChannel.MapMode.READ_WRITE : FileChannel.MapMode.READ_ONLY;
        boolean isInterrupted = Thread.interrupted();
        try {
            while (true) {
                final FileChannel current = channel;
                try {
                    return new MappedFile(current.map(mapMode, 0, size), () -> {});
                } catch (final ClosedChannelException e) {
                    isInterrupted |= Thread.interrupted();
                    reopen(current, e);
                }
            }
        } catch (final ClosedChannelException e) {
            throw e;
        } catch (final IOException e) {
            throw SystemFileSystem.translated(path, e);
        } finally {
            restore(isInterrupted);
        }
    }

    @Override
    public synchronized void close() throws IOException {
        closed = true;
        channel.close();
    }
}
