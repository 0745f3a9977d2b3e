package io.tidemark.log.io;

import io.tidemark.log.io.PowerImage.FileNode;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The machine's file system, with failures. The files are real ones and the mappings are the production's own; what is
 * modelled beside them is what a power failure would leave ({@link PowerImage}).
 *
 * <p>Failures: a call of a kind, or any changing call, fails once ({@link #failNth}, {@link #failAt}), or all of a kind
 * fail until {@link #heal()} ({@link #failAll}); there is no space ({@link #fillDisk}); everything stops at a chosen
 * call ({@link #crashAt}), a write in the middle of its bytes. A failed write leaves a part of its bytes. After a
 * failed force the pages are clean but not durable: only what is stored anew into them is made durable by a later one.
 * An {@link Error} given as failure stands for the fault of a mapping, which the JVM throws later than the store that
 * caused it, and outside of the class that touched the mapping.
 *
 * <p>Everything that is chosen comes from the seed; there are no threads and no clocks, and the machine's disk is never
 * forced. Any thread.
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

    /** Calls that change nothing: they are not counted as steps. */
    private static final EnumSet<Call> LOOKS = EnumSet.of(Call.READ, Call.LIST);

    /** Every call fails with this after the crash. */
    public static final class CrashedException extends IOException {
        private static final long serialVersionUID = 1L;

        CrashedException() {
            super("crashed");
        }
    }

    /** A failure to come: counts the calls that fit down to 0. */
    private static final class Fault {
        final EnumSet<Call> calls;
        final Predicate<Path> files;
        final Throwable failure;
        final boolean isLasting;
        int left;

        Fault(EnumSet<Call> calls, Predicate<Path> files, Throwable failure, int left, boolean isLasting) {
            this.calls = calls;
            this.files = files;
            this.failure = failure;
            this.left = left;
            this.isLasting = isLasting;
        }
    }

    private final FileSystem real = new SystemFileSystem();
    private final PowerImage image = new PowerImage(real);
    private final List<Fault> faults = new ArrayList<>();
    private final List<String> trace = new ArrayList<>();
    private final OptionalLong seed;
    private final SplittableRandom random;
    private @Nullable LongSupplier clockMs;
    private long usableBytes = 1L << 40;
    private boolean isTracing;
    private boolean isFull;
    private String bootId = "boot-1";
    private final Map<Call, Long> callsByKind = new EnumMap<>(Call.class);
    private long writtenBytes;
    private long readBytes;
    private long calls;
    private long crashAt = Long.MAX_VALUE;

    /** Ids of folders are the machine's random ones; all else is as with seed 0. */
    public FaultyFileSystem() {
        this(OptionalLong.empty());
    }

    /**
     * Chooses from a seed: how much of a failed write is there, what a failed force got to the disk, ids of folders.
     */
    public FaultyFileSystem(long seed) {
        this(OptionalLong.of(seed));
    }

    private FaultyFileSystem(OptionalLong seed) {
        this.seed = seed;
        this.random = new SplittableRandom(seed.orElse(0));
    }

    /** Lets the nth call from now on of a kind fail; later ones succeed again. */
    public synchronized void failNth(Call call, int n, IOException failure) {
        failNth(call, FaultyFileSystem::isAnything, n, failure);
    }

    /** Lets the nth call from now on of a kind, with a file of some sort, fail; later ones succeed again. */
    public synchronized void failNth(Call call, Predicate<Path> files, int n, Throwable failure) {
        add(new Fault(EnumSet.of(call), files, failure, n, false));
    }

    /** Lets the nth changing call from now on fail, whatever it is; later ones succeed again. */
    public synchronized void failAt(int n, Throwable failure) {
        add(new Fault(EnumSet.complementOf(LOOKS), FaultyFileSystem::isAnything, failure, n, false));
    }

    /** Lets all calls of a kind, with a file of some sort, fail until {@link #heal()}. */
    public synchronized void failAll(Call call, Predicate<Path> files, Throwable failure) {
        add(new Fault(EnumSet.of(call), files, failure, 1, true));
    }

    private static boolean isAnything(Path path) {
        return !path.toString().isEmpty();
    }

    private void add(Fault fault) {
        if (fault.left < 1 || !(fault.failure instanceof IOException || fault.failure instanceof Error)) {
            throw new IllegalArgumentException("n=" + fault.left + ", failure=" + fault.failure);
        }
        faults.add(fault);
    }

    /** No space is left: what needs some fails with {@link NoSpaceException} until {@link #heal()}. */
    public synchronized void fillDisk() {
        isFull = true;
    }

    /** Takes all failures to come back, and there is space again. A crash stays. */
    public synchronized void heal() {
        faults.clear();
        isFull = false;
    }

    /** Whether a failure has not come yet. */
    public synchronized boolean isFaultPending() {
        return faults.stream().anyMatch(fault -> !fault.isLasting);
    }

    /** Lets everything fail from the nth changing call from now on. */
    public synchronized void crashAt(long n) {
        crashAt = calls + n;
    }

    /** The number of calls of a kind so far. */
    public synchronized long calls(Call call) {
        return callsByKind.getOrDefault(call, 0L);
    }

    /** The bytes written so far, but for those stored into mappings. */
    public synchronized long writtenBytes() {
        return writtenBytes;
    }

    /** The bytes read so far, but for those read from mappings. */
    public synchronized long readBytes() {
        return readBytes;
    }

    /** The number of calls so far that can crash. */
    public synchronized long calls() {
        return calls;
    }

    /** Whether the crash came. */
    public synchronized boolean hasCrashed() {
        return calls >= crashAt;
    }

    /** Another process begins after the crash of the one before; the machine went on, with all that it had cached. */
    public synchronized void restartProcess() {
        crashAt = Long.MAX_VALUE;
    }

    /** Says that the machine was started anew. */
    public synchronized void reboot(String newBootId) {
        bootId = newBootId;
    }

    /** Gives files the time of a clock as that of their last change by a call, instead of the machine's. */
    public synchronized void useClock(LongSupplier milliseconds) {
        clockMs = milliseconds;
    }

    /** Says how much space is left, which writes take from. A full disk has none. */
    public synchronized void usableBytes(long bytes) {
        usableBytes = bytes;
    }

    /** Remembers from now on what is called, for the message of a failed test. */
    public synchronized void startTrace() {
        isTracing = true;
    }

    /** The calls that were remembered, the last ones last. */
    public synchronized List<String> trace() {
        return List.copyOf(trace);
    }

    /**
     * Writes the worst that a power failure could leave of a folder: of each file the content at its last completed
     * force, of each folder the entries at its last sync.
     */
    public synchronized void writeDurableImage(Path source, Path target) throws IOException {
        image.write(source, target, null);
    }

    /**
     * Writes what a power failure could leave of a folder: of everything since the last completed force (sectors of 512
     * bytes, sizes) and since the last sync (creations, renamings, deletions) any subset, as the seed chooses. Seeds
     * make images of all sorts, from almost nothing of it to almost all.
     */
    public synchronized void writePowerFailureImage(Path source, Path target, long imageSeed) throws IOException {
        image.write(source, target, new SplittableRandom(imageSeed));
    }

    /** Counts a call, and fails it when that was asked for. */
    private synchronized void enter(Call call, Path path) throws IOException {
        callsByKind.merge(call, 1L, Long::sum);
        if (!LOOKS.contains(call)) {
            calls++;
        }
        if (isTracing) {
            trace.add(calls + " " + call + " " + path.getFileName());
        }
        if (calls >= crashAt) {
            throw new CrashedException();
        }
        for (final Iterator<Fault> all = faults.iterator(); all.hasNext(); ) {
            final Fault fault = all.next();
            if (fault.calls.contains(call) && fault.files.test(path)) {
                if (fault.isLasting) {
                    throw thrown(call, fault.failure);
                }
                fault.left--;
                if (fault.left == 0) {
                    all.remove();
                    throw thrown(call, fault.failure);
                }
            }
        }
    }

    private static IOException thrown(Call call, Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure instanceof NoSpaceException && (call == Call.FORCE || call == Call.SYNC_DIRECTORY)) {
            // For want of space or not: it is a failed force.
            return new IOException(failure.getMessage(), failure);
        }
        return (IOException) failure;
    }

    private synchronized void requireSpace(Path path) throws IOException {
        if (isFull) {
            throw new NoSpaceException("no space left: file=" + path);
        }
    }

    /** How many bytes of a write that does not succeed get into the file. */
    private synchronized int part(int bytes) {
        return random.nextInt(bytes + 1);
    }

    /** Whether this is the write in which the crash comes, and not one after it. */
    private synchronized boolean isCrashing() {
        return calls == crashAt;
    }

    @Override
    public FileHandle open(Path path, OpenMode mode) throws IOException {
        enter(Call.OPEN, path);
        final boolean isMade = (mode == OpenMode.CREATE || mode == OpenMode.CREATE_NEW) && !real.exists(path);
        if (isMade) {
            requireSpace(path);
        }
        final FileNode node;
        synchronized (this) {
            node = isMade ? null : image.file(path);
        }
        final FileHandle file = real.open(path, mode);
        synchronized (this) {
            final FileNode opened = node != null ? node : image.created(path);
            if (node == null) {
                opened.touched(nowMs());
            }
            return new Handle(path, opened, file);
        }
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
        enter(Call.LIST, directory);
        return real.list(directory);
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        enter(Call.CREATE_DIRECTORY, directory);
        if (!real.exists(directory)) {
            requireSpace(directory);
            final List<Path> made = new ArrayList<>();
            for (Path each = directory; each != null && !real.exists(each); each = each.getParent()) {
                made.add(0, each);
            }
            real.createDirectories(directory);
            synchronized (this) {
                made.forEach(image::createdFolder);
            }
        } else {
            real.createDirectories(directory);
        }
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        enter(Call.RENAME, to);
        synchronized (this) {
            image.beforeRename(from, to);
            real.rename(from, to);
            image.renamed(from, to);
        }
    }

    @Override
    public boolean delete(Path path) throws IOException {
        enter(Call.DELETE, path);
        synchronized (this) {
            if (!real.exists(path)) {
                return false;
            }
            image.beforeDelete(path);
            final boolean isDeleted = real.delete(path);
            image.deleted(path);
            return isDeleted;
        }
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        // The real disk is not asked: what counts here is the image, and a real sync would only take time.
        enter(Call.SYNC_DIRECTORY, directory);
        synchronized (this) {
            image.synced(directory);
        }
    }

    @Override
    public long lastModifiedMs(Path path) throws IOException {
        synchronized (this) {
            final FileNode node = clockMs == null ? null : image.file(path);
            if (node != null) {
                return node.modifiedMs();
            }
        }
        return Files.getLastModifiedTime(path).toMillis();
    }

    @Override
    public synchronized long usableBytes(Path directory) {
        return isFull ? 0 : usableBytes;
    }

    @Override
    public long totalBytes(Path directory) {
        return 1L << 40;
    }

    private long nowMs() {
        return clockMs == null ? 0 : clockMs.getAsLong();
    }

    @Override
    public Closeable lock(Path path) throws IOException {
        enter(Call.OPEN, path);
        final boolean isMade = !real.exists(path);
        final Closeable lock = real.lock(path);
        synchronized (this) {
            if (isMade) {
                image.created(path);
            }
        }
        return lock;
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
    public synchronized UUID newId() {
        return seed.isPresent() ? new UUID(random.nextLong(), random.nextLong()) : real.newId();
    }

    private final class Handle implements FileHandle {
        private final Path path;
        private final FileNode node;
        private final FileHandle file;

        Handle(Path path, FileNode node, FileHandle file) {
            this.path = path;
            this.node = node;
            this.file = file;
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            enter(Call.READ, path);
            final int n = file.read(target, position);
            synchronized (FaultyFileSystem.this) {
                readBytes += n;
            }
            return n;
        }

        @Override
        public void write(ByteBuffer source, long position) throws IOException {
            try {
                enter(Call.WRITE, path);
                requireSpace(path);
            } catch (final CrashedException e) {
                if (isCrashing()) {
                    writePart(source, position);
                }
                throw e;
            } catch (final IOException e) {
                // A failed write may have written a part.
                writePart(source, position);
                throw e;
            }
            final int bytes = source.remaining();
            synchronized (FaultyFileSystem.this) {
                writtenBytes += bytes;
                usableBytes = Math.max(0, usableBytes - bytes);
            }
            file.write(source, position);
            wrote(position, bytes);
        }

        private void writePart(ByteBuffer source, long position) throws IOException {
            final ByteBuffer first = source.duplicate();
            final int bytes = part(source.remaining());
            first.limit(first.position() + bytes);
            file.write(first, position);
            wrote(position, bytes);
        }

        private void wrote(long position, int bytes) throws IOException {
            synchronized (FaultyFileSystem.this) {
                node.wrote(contentOf(position / PowerImage.PAGE * PowerImage.PAGE, position + bytes), position, bytes);
                node.resized(file.size());
                node.touched(nowMs());
            }
        }

        /** Bytes of the file from a position to the end of the page that holds the last one. */
        private byte[] contentOf(long from, long to) throws IOException {
            final long end = (to + PowerImage.PAGE - 1) / PowerImage.PAGE * PowerImage.PAGE;
            final ByteBuffer bytes = ByteBuffer.allocate((int) (end - from));
            file.read(bytes, from);
            return bytes.array();
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public void truncate(long size) throws IOException {
            enter(Call.TRUNCATE, path);
            synchronized (FaultyFileSystem.this) {
                node.beforeTruncate(content(), size);
                file.truncate(size);
                node.resized(file.size());
                node.touched(nowMs());
            }
        }

        private byte[] content() throws IOException {
            final long size = file.size();
            if (size > 64 << 20) {
                throw new IOException("use small segments with this file system: file=" + path + ", size=" + size);
            }
            final ByteBuffer content = ByteBuffer.allocate((int) size);
            final int n = file.read(content, 0);
            return n == size ? content.array() : Arrays.copyOf(content.array(), n);
        }

        @Override
        public void force() throws IOException {
            try {
                enter(Call.FORCE, path);
            } catch (final CrashedException e) {
                throw e;
            } catch (final IOException e) {
                synchronized (FaultyFileSystem.this) {
                    node.forceFailed(content(), random);
                }
                throw e;
            }
            synchronized (FaultyFileSystem.this) {
                node.forced(content());
            }
        }

        @Override
        public MappedFile map(int size, boolean writable) throws IOException {
            enter(Call.MAP, path);
            final MappedFile mapping = file.map(size, writable);
            synchronized (FaultyFileSystem.this) {
                node.resized(file.size());
            }
            return mapping;
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
