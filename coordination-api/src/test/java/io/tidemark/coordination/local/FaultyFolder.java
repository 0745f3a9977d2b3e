package io.tidemark.coordination.local;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A folder in memory that crashes at a step; each byte written, each force, each rename and so on is a step. After the
 * crash every call fails, and the test goes on with what survived: all that was written, if only the process died, or
 * only what was forced, if the machine did. Safe for use from any thread.
 */
final class FaultyFolder implements StoreFolder {
    /** No crash. */
    static final long NEVER = Long.MAX_VALUE;

    private final Map<String, Content> files = new HashMap<>();
    private final Map<String, Content> forcedNames = new HashMap<>();
    private final List<DiskOutput> outputs = new ArrayList<>();
    private long stepsLeft;
    private long steps;
    private boolean crashed;
    private boolean locked;

    /** The bytes of a file. */
    private static final class Content {
        private byte[] written = new byte[0];
        private int forcedSize;
    }

    private FaultyFolder(long crashAtStep) {
        this.stepsLeft = crashAtStep;
    }

    /** An empty folder that crashes at a step; the first one is number 0. */
    static FaultyFolder crashingAt(long step) {
        return new FaultyFolder(step);
    }

    /** An empty folder that works. */
    static FaultyFolder working() {
        return new FaultyFolder(NEVER);
    }

    /** What a kill -9 leaves. */
    synchronized FaultyFolder afterKill() {
        FaultyFolder left = working();
        files.forEach((name, content) -> left.put(name, content.written));
        return left;
    }

    /** The least that a power failure leaves: what was forced. */
    synchronized FaultyFolder afterPowerFailure() {
        FaultyFolder left = working();
        forcedNames.forEach((name, content) -> left.put(name, Arrays.copyOf(content.written, content.forcedSize)));
        return left;
    }

    /** Puts a file there, with these bytes. */
    synchronized void put(String name, byte[] bytes) {
        Content content = new Content();
        content.written = bytes.clone();
        content.forcedSize = bytes.length;
        files.put(name, content);
        forcedNames.put(name, content);
    }

    /** Has the folder crash after some more steps. */
    synchronized void crashAfter(long more) {
        stepsLeft = more;
    }

    /** How many steps there were. */
    synchronized long steps() {
        return steps;
    }

    synchronized boolean isLocked() {
        return locked;
    }

    /** How many files were not closed. */
    synchronized long openOutputs() {
        return outputs.stream().filter(output -> output.open).count();
    }

    private void step() throws IOException {
        if (crashed || stepsLeft == 0) {
            crashed = true;
            throw new IOException("planned crash");
        }
        stepsLeft--;
        steps++;
    }

    @Override
    public String path() {
        return "/faulty";
    }

    @Override
    public synchronized boolean tryLock() throws IOException {
        step();
        if (locked) {
            return false;
        }
        locked = true;
        return true;
    }

    @Override
    public synchronized byte @Nullable [] read(String name) throws IOException {
        step();
        Content content = files.get(name);
        return content == null ? null : content.written.clone();
    }

    @Override
    public synchronized Output create(String name) throws IOException {
        step();
        Content content = new Content();
        files.put(name, content);
        DiskOutput output = new DiskOutput(content);
        outputs.add(output);
        return output;
    }

    @Override
    public synchronized void rename(String from, String to) throws IOException {
        step();
        Content content = files.remove(from);
        if (content == null) {
            throw new IOException("no such file: name=" + from);
        }
        files.put(to, content);
    }

    @Override
    public synchronized void force() throws IOException {
        step();
        forcedNames.clear();
        forcedNames.putAll(files);
    }

    @Override
    public synchronized void close() {
        locked = false;
    }

    /** A file that grows byte by byte. */
    private final class DiskOutput implements Output {
        private final Content content;
        private boolean open = true;

        DiskOutput(Content content) {
            this.content = content;
        }

        @Override
        public void write(byte[] bytes) throws IOException {
            synchronized (FaultyFolder.this) {
                int size = content.written.length;
                int fits = (int) Math.min(bytes.length, crashed ? 0 : stepsLeft);
                content.written = Arrays.copyOf(content.written, size + fits);
                System.arraycopy(bytes, 0, content.written, size, fits);
                stepsLeft -= fits;
                steps += fits;
                if (fits < bytes.length) {
                    step();
                }
            }
        }

        @Override
        public void force() throws IOException {
            synchronized (FaultyFolder.this) {
                step();
                content.forcedSize = content.written.length;
            }
        }

        @Override
        public void close() {
            synchronized (FaultyFolder.this) {
                open = false;
            }
        }
    }
}
