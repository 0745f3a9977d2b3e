package io.tidemark.log.io;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * The machine's file system, with failures: the nth call of a kind fails, a crash stops everything at a chosen call,
 * and what a power failure would leave can be written to another folder. The mappings are the production's own. The
 * image of a power failure is the worst one allowed: of a file the content at its last force, of a folder the entries
 * at its last sync.
 */
public final class FaultyFileSystem implements FileSystem {
    /** Kinds of calls. */
    public enum Call {
        OPEN,
        READ,
        WRITE,
        FORCE,
        TRUNCATE,
        MAP,
        RENAME,
        DELETE,
        LIST,
        SYNC_DIRECTORY,
        CREATE_DIRECTORY
    }

    /** Every call fails with this after the crash. */
    public static final class CrashedException extends IOException {
        private static final long serialVersionUID = 1L;

        CrashedException() {
            super("crashed");
        }
    }

    /** A file by whatever name: what was forced of it. */
    private static final class Node {
        byte[] durable = new byte[0];
    }

    private final FileSystem real = new SystemFileSystem();
    private final Map<Path, Node> nodes = new HashMap<>();
    private final Map<Path, Map<Path, Node>> durableEntries = new HashMap<>();
    private final Map<Call, Integer> failAt = new EnumMap<>(Call.class);
    private final Map<Call, IOException> failures = new EnumMap<>(Call.class);
    private String bootId = "boot-1";
    private long calls;
    private long crashAt = Long.MAX_VALUE;

    /** Lets the nth call from now on of a kind fail; later ones succeed again. */
    public synchronized void failNth(Call call, int n, IOException failure) {
        failAt.put(call, n);
        failures.put(call, failure);
    }

    /** Lets everything fail from the nth changing call from now on. */
    public synchronized void crashAt(long n) {
        crashAt = calls + n;
    }

    /** The number of calls so far that can crash. */
    public synchronized long calls() {
        return calls;
    }

    /** Whether the crash came. */
    public synchronized boolean hasCrashed() {
        return calls >= crashAt;
    }

    /** Says that the machine was started anew. */
    public synchronized void reboot(String newBootId) {
        bootId = newBootId;
    }

    /** Writes what a power failure would leave of a folder. */
    public synchronized void writeDurableImage(Path source, Path target) throws IOException {
        Files.createDirectories(target);
        for (final Map.Entry<Path, Node> entry :
                durableEntries.getOrDefault(source, Map.of()).entrySet()) {
            final Path to = target.resolve(entry.getKey().getFileName().toString());
            if (durableEntries.containsKey(entry.getKey()) || Files.isDirectory(entry.getKey())) {
                writeDurableImage(entry.getKey(), to);
            } else {
                Files.write(to, entry.getValue().durable);
            }
        }
    }

    private synchronized void enter(Call call) throws IOException {
        if (call != Call.READ && call != Call.LIST) {
            calls++;
        }
        if (calls >= crashAt) {
            throw new CrashedException();
        }
        final Integer left = failAt.get(call);
        if (left != null) {
            if (left == 1) {
                failAt.remove(call);
                throw failures.get(call);
            }
            failAt.put(call, left - 1);
        }
    }

    private synchronized Node node(Path path) {
        return nodes.computeIfAbsent(path, key -> new Node());
    }

    @Override
    public FileHandle open(Path path, OpenMode mode) throws IOException {
        enter(Call.OPEN);
        return new Handle(path, node(path), real.open(path, mode));
    }

    @Override
    public boolean exists(Path path) {
        return real.exists(path);
    }

    @Override
    public boolean isDirectory(Path path) {
        return real.isDirectory(path);
    }

    @Override
    public long sizeOf(Path path) throws IOException {
        return real.sizeOf(path);
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        enter(Call.LIST);
        return real.list(directory);
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        enter(Call.CREATE_DIRECTORY);
        real.createDirectories(directory);
        node(directory);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        enter(Call.RENAME);
        real.rename(from, to);
        synchronized (this) {
            final List<Path> moved = new ArrayList<>();
            for (final Path path : nodes.keySet()) {
                if (path.startsWith(from)) {
                    moved.add(path);
                }
            }
            for (final Path path : moved) {
                final Path target = path.equals(from) ? to : to.resolve(from.relativize(path));
                nodes.put(target, nodes.remove(path));
            }
        }
    }

    @Override
    public boolean delete(Path path) throws IOException {
        enter(Call.DELETE);
        synchronized (this) {
            nodes.remove(path);
        }
        return real.delete(path);
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        // The real disk is not asked: what counts here is the image, and a real sync would only take time.
        enter(Call.SYNC_DIRECTORY);
        synchronized (this) {
            final Map<Path, Node> entries = new HashMap<>();
            final Set<Path> live = new HashSet<>(real.list(directory));
            for (final Map.Entry<Path, Node> entry : nodes.entrySet()) {
                if (live.contains(entry.getKey())) {
                    entries.put(entry.getKey(), entry.getValue());
                }
            }
            durableEntries.put(directory, entries);
        }
    }

    @Override
    public Closeable lock(Path path) throws IOException {
        enter(Call.OPEN);
        node(path);
        return real.lock(path);
    }

    @Override
    public synchronized String bootId() {
        return bootId;
    }

    @Override
    public String mountId(Path directory) {
        return "mount-1";
    }

    @Override
    public UUID newId() {
        return real.newId();
    }

    private final class Handle implements FileHandle {
        private final Path path;
        private final Node node;
        private final FileHandle file;

        Handle(Path path, Node node, FileHandle file) {
            this.path = path;
            this.node = node;
            this.file = file;
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            enter(Call.READ);
            return file.read(target, position);
        }

        @Override
        public void write(ByteBuffer source, long position) throws IOException {
            try {
                enter(Call.WRITE);
            } catch (final CrashedException e) {
                throw e;
            } catch (final IOException e) {
                // A failed write may have written a part.
                source.limit(source.position() + source.remaining() / 2);
                file.write(source, position);
                throw e;
            }
            file.write(source, position);
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public void truncate(long size) throws IOException {
            enter(Call.TRUNCATE);
            file.truncate(size);
        }

        @Override
        public void force() throws IOException {
            enter(Call.FORCE);
            final long size = file.size();
            if (size > 64 << 20) {
                throw new IOException("use small segments with this file system: file=" + path + ", size=" + size);
            }
            final ByteBuffer content = ByteBuffer.allocate((int) size);
            file.read(content, 0);
            synchronized (FaultyFileSystem.this) {
                node.durable = content.array();
            }
        }

        @Override
        public MappedFile map(int size, boolean writable) throws IOException {
            enter(Call.MAP);
            return file.map(size, writable);
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
