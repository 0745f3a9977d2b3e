package io.tidemark.log.io;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A mapping of a file with counted references: it begins with one, and the last {@link #release()} unmaps it, at once
 * and not when the garbage collector likes. Touching an unmapped page kills the JVM, so whoever reads or stores holds a
 * reference meanwhile. Any thread.
 */
public final class MappedFile {
    private static final VarHandle REFERENCES;

    static {
        try {
            REFERENCES = MethodHandles.lookup().findVarHandle(MappedFile.class, "references", int.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final MappedByteBuffer bytes;
    private final UnsafeBuffer buffer;
    private final Runnable afterUnmap;

    @SuppressWarnings("UnusedVariable") // by REFERENCES
    private volatile int references = 1;

    /**
     * Takes over a mapping.
     *
     * @param bytes the mapping itself, no view of it; nobody else may unmap it
     * @param afterUnmap called by the thread that released the last reference, after unmapping
     */
    public MappedFile(MappedByteBuffer bytes, Runnable afterUnmap) {
        this.bytes = bytes;
        this.buffer = new UnsafeBuffer(bytes);
        this.afterUnmap = afterUnmap;
    }

    /**
     * The mapped bytes.
     *
     * @return a buffer over the whole mapping, to be touched with a reference held only
     */
    public UnsafeBuffer buffer() {
        return buffer;
    }

    /**
     * A new view for writing to a channel.
     *
     * @return a read-only view of the whole mapping, to be touched with a reference held only
     */
    public ByteBuffer newView() {
        return bytes.asReadOnlyBuffer();
    }

    /**
     * Takes a reference.
     *
     * @return false when the mapping is gone
     */
    public boolean tryRetain() {
        int current;
        do {
            current = references;
            if (current == 0) {
                return false;
            }
        } while (!REFERENCES.compareAndSet(this, current, current + 1));
        return true;
    }

    /**
     * Gives a reference back; the last one unmaps.
     *
     * @throws IllegalStateException when there was none
     */
    public void release() {
        int current;
        do {
            current = references;
            if (current == 0) {
                throw new IllegalStateException("a mapping was released more often than it was retained");
            }
        } while (!REFERENCES.compareAndSet(this, current, current - 1));
        if (current == 1) {
            IoUtil.unmap(bytes);
            afterUnmap.run();
        }
    }

    /**
     * Whether the mapping is gone.
     *
     * @return true after the last release
     */
    public boolean isUnmapped() {
        return references == 0;
    }
}
