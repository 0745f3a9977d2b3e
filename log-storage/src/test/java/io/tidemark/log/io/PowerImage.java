package io.tidemark.log.io;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is on the disk as far as a power failure is concerned, beside the files as the process sees them. Of a file: the
 * content at its last completed force, and what was written since, sector by sector. Of a folder: the entries at its
 * last sync, and the creations, renamings and deletions since, in order. Whatever was there before anybody asked is
 * durable. Stores into mappings need not be reported: they are seen when an image is made or the file is forced.
 * Guarded by the file system's monitor.
 */
final class PowerImage {
    /** What a disk writes as a whole. */
    static final int SECTOR = 512;
    /** What the system's cache holds as a whole. */
    static final int PAGE = 4096;

    /** A file or a folder, by whatever name. */
    private abstract static sealed class Node permits FileNode, FolderNode {}

    /** A file. */
    static final class FileNode extends Node {
        private byte[] durable;
        private Path path;
        private byte @Nullable [] last;
        private long modifiedMs;
        private final Map<Integer, List<byte[]>> versions = new HashMap<>();
        private final List<Long> sizes = new ArrayList<>();
        private final Map<Integer, byte[]> cleanPages = new HashMap<>();

        FileNode(Path path, byte[] durable) {
            this.path = path;
            this.durable = durable;
        }

        /** Bytes were written by a channel: whole pages are given, the first one holds the position. */
        void wrote(byte[] pages, long position, int bytes) {
            if (bytes == 0) {
                return;
            }
            final int firstPage = (int) (position / PAGE);
            for (int i = 0; i < pages.length / PAGE; i++) {
                cleanPages.remove(firstPage + i);
            }
            final int firstSector = (int) (position / SECTOR);
            final int endSector = (int) ((position + bytes + SECTOR - 1) / SECTOR);
            for (int sector = firstSector; sector < endSector; sector++) {
                addVersion(sector, sector(pages, sector - firstPage * (PAGE / SECTOR)));
            }
        }

        /** What is cut off may be durable nevertheless. */
        void beforeTruncate(byte[] content, long size) {
            for (int sector = (int) (size / SECTOR); sector < sectors(content.length); sector++) {
                addVersion(sector, sector(content, sector));
            }
        }

        private void addVersion(int sector, byte[] bytes) {
            final List<byte[]> known = versions.computeIfAbsent(sector, key -> new ArrayList<>());
            if (!Arrays.equals(sector(durable, sector), bytes)
                    && known.stream().noneMatch(one -> Arrays.equals(one, bytes))) {
                known.add(bytes);
            }
        }

        /** The size of the file may have changed. */
        void resized(long size) {
            if (size != (sizes.isEmpty() ? durable.length : sizes.get(sizes.size() - 1))) {
                sizes.add(size);
            }
        }

        /** The content was changed by a call. */
        void touched(long nowMs) {
            modifiedMs = nowMs;
        }

        /** When the content was last changed by a call; 0 for a file that was there before. */
        long modifiedMs() {
            return modifiedMs;
        }

        /** Everything is durable now, but for the pages that a failed force made clean and nobody touched since. */
        void forced(byte[] content) {
            final byte[] next = content.clone();
            cleanPages.entrySet().removeIf(page -> !Arrays.equals(page.getValue(), page(content, page.getKey())));
            for (final int page : cleanPages.keySet()) {
                final int from = page * PAGE;
                final int to = Math.min(from + PAGE, next.length);
                for (int i = from; i < to; i++) {
                    next[i] = i < durable.length ? durable[i] : 0;
                }
            }
            durable = next;
            versions.clear();
            sizes.clear();
        }

        /** A force failed: some sectors got to the disk, and no page counts as changed any more. */
        void forceFailed(byte[] content, SplittableRandom random) {
            final byte[] next = Arrays.copyOf(durable, Math.max(durable.length, content.length));
            for (int sector = 0; sector < sectors(content.length); sector++) {
                final byte[] now = sector(content, sector);
                if (!Arrays.equals(now, sector(durable, sector))) {
                    if (random.nextInt(4) == 0) {
                        final int from = sector * SECTOR;
                        System.arraycopy(now, 0, next, from, Math.min(SECTOR, next.length - from));
                    } else {
                        cleanPages.put(sector / (PAGE / SECTOR), page(content, sector / (PAGE / SECTOR)));
                    }
                }
            }
            durable = next;
            versions.clear();
        }

        private byte[] live() throws IOException {
            final byte[] gone = last;
            return gone != null ? gone : Files.exists(path) ? Files.readAllBytes(path) : durable;
        }

        /** The content that a power failure leaves; without a random the durable one. */
        byte[] afterPowerFailure(@Nullable SplittableRandom random) throws IOException {
            if (random == null) {
                return durable;
            }
            final byte[] live = live();
            final List<Long> possible = new ArrayList<>(sizes);
            possible.add((long) live.length);
            final boolean isSizeOld = random.nextInt(3) == 0;
            final long size = isSizeOld ? durable.length : possible.get(random.nextInt(possible.size()));
            // Some images keep little of what was not forced, others nearly all; some by sector, some by page.
            final int keptPercent = new int[] {3, 30, 50, 70, 97}[random.nextInt(5)];
            final int unit = random.nextBoolean() ? 1 : PAGE / SECTOR;
            final byte[] image = new byte[(int) size];
            boolean isKept = false;
            for (int sector = 0; sector < sectors(image.length); sector++) {
                if (sector % unit == 0) {
                    isKept = random.nextInt(100) < keptPercent;
                }
                final byte[] bytes = isKept ? newer(live, sector, random) : sector(durable, sector);
                final int from = sector * SECTOR;
                System.arraycopy(bytes, 0, image, from, Math.min(SECTOR, image.length - from));
            }
            return image;
        }

        private byte[] newer(byte[] live, int sector, SplittableRandom random) {
            final byte[] clean = cleanPages.get(sector / (PAGE / SECTOR));
            if (clean != null && Arrays.equals(clean, page(live, sector / (PAGE / SECTOR)))) {
                return sector(durable, sector);
            }
            final List<byte[]> known = versions.getOrDefault(sector, List.of());
            return known.isEmpty() || random.nextInt(3) > 0
                    ? sector(live, sector)
                    : known.get(random.nextInt(known.size()));
        }

        private static int sectors(int bytes) {
            return (bytes + SECTOR - 1) / SECTOR;
        }

        private static byte[] sector(byte[] content, int sector) {
            return slice(content, sector * SECTOR, SECTOR);
        }

        private static byte[] page(byte[] content, int page) {
            return slice(content, page * PAGE, PAGE);
        }

        /** Bytes of a content that goes on with zeros behind its end. */
        private static byte[] slice(byte[] content, int from, int bytes) {
            return from >= content.length ? new byte[bytes] : Arrays.copyOfRange(content, from, from + bytes);
        }
    }

    /** A folder. */
    private static final class FolderNode extends Node {
        private final Map<String, Node> live = new TreeMap<>();
        private final Map<String, Node> durable = new TreeMap<>();
        private final List<Change> pending = new ArrayList<>();

        void change(Change change) {
            change.apply(live);
            pending.add(change);
        }
    }

    /** One change of the entries of a folder: a name goes, a name comes, or both at once. */
    private record Change(@Nullable String gone, @Nullable String come, Node node) {
        void apply(Map<String, Node> entries) {
            if (gone != null) {
                entries.remove(gone, node);
            }
            if (come != null) {
                entries.put(come, node);
            }
        }
    }

    private final FileSystem real;
    private final FolderNode root = new FolderNode();

    PowerImage(FileSystem real) {
        this.real = real;
    }

    private static String nameOf(Path path) {
        return String.valueOf(path.getFileName());
    }

    private FolderNode folder(Path path) throws IOException {
        FolderNode at = root;
        Path reached = Objects.requireNonNull(path.toAbsolutePath().getRoot());
        for (final Path name : path.toAbsolutePath()) {
            reached = reached.resolve(name);
            if (!(child(at, reached) instanceof FolderNode next)) {
                throw new IOException("no folder: path=" + reached);
            }
            at = next;
        }
        return at;
    }

    /** An entry of a folder; what nobody asked for so far is durable. */
    private @Nullable Node child(FolderNode parent, Path path) throws IOException {
        Node node = parent.live.get(nameOf(path));
        if (node == null && real.exists(path)) {
            node = real.isDirectory(path) ? new FolderNode() : new FileNode(path, Files.readAllBytes(path));
            parent.live.put(nameOf(path), node);
            parent.durable.put(nameOf(path), node);
        }
        return node;
    }

    private FolderNode parentOf(Path path) throws IOException {
        return folder(Objects.requireNonNull(path.toAbsolutePath().getParent()));
    }

    /** The file of a name, as it is. */
    @Nullable
    FileNode file(Path path) throws IOException {
        final Path parent = path.toAbsolutePath().getParent();
        return parent != null && real.isDirectory(parent) && child(folder(parent), path) instanceof FileNode file
                ? file
                : null;
    }

    /** A file was made. */
    FileNode created(Path path) throws IOException {
        final FolderNode parent = parentOf(path);
        final FileNode node = new FileNode(path, new byte[0]);
        parent.change(new Change(null, nameOf(path), node));
        return node;
    }

    /** A folder was made. */
    void createdFolder(Path path) {
        try {
            final FolderNode parent = parentOf(path);
            parent.change(new Change(null, nameOf(path), new FolderNode()));
        } catch (final IOException e) {
            throw new IllegalStateException("path=" + path, e);
        }
    }

    /** A name will be given to something else. */
    void beforeRename(Path from, Path to) throws IOException {
        if (child(parentOf(from), from) instanceof FolderNode folder) {
            adoptAll(folder, from);
        }
        beforeDelete(to);
    }

    private void adoptAll(FolderNode folder, Path path) throws IOException {
        for (final Path each : real.list(path)) {
            if (child(folder, each) instanceof FolderNode inner) {
                adoptAll(inner, each);
            }
        }
    }

    /** Something has another name. */
    void renamed(Path from, Path to) throws IOException {
        final FolderNode source = parentOf(from);
        final FolderNode target = parentOf(to);
        final Node node = source.live.get(nameOf(from));
        if (node == null) {
            return;
        }
        if (source == target) {
            source.change(new Change(nameOf(from), nameOf(to), node));
        } else {
            target.change(new Change(null, nameOf(to), node));
            source.change(new Change(nameOf(from), null, node));
        }
        moved(node, to);
    }

    private static void moved(Node node, Path to) {
        if (node instanceof FileNode file) {
            file.path = to;
        } else if (node instanceof FolderNode folder) {
            folder.live.forEach((name, child) -> moved(child, to.resolve(name)));
        }
    }

    /** A name will go: what stands behind it may come back by a power failure. */
    void beforeDelete(Path path) throws IOException {
        if (real.exists(path) && child(parentOf(path), path) instanceof FileNode file) {
            file.last = Files.readAllBytes(path);
        }
    }

    /** A name is gone. */
    void deleted(Path path) throws IOException {
        final FolderNode parent = parentOf(path);
        final Node node = parent.live.get(nameOf(path));
        if (node != null) {
            parent.change(new Change(nameOf(path), null, node));
        }
    }

    /** The entries of a folder are durable. */
    void synced(Path path) throws IOException {
        final FolderNode folder = folder(path);
        folder.durable.clear();
        folder.durable.putAll(folder.live);
        folder.pending.clear();
    }

    /** Writes what a power failure leaves; without a random the worst. */
    void write(Path source, Path target, @Nullable SplittableRandom random) throws IOException {
        Files.createDirectories(target);
        if (Files.isDirectory(source)) {
            write(folder(source), source, target, random);
        }
    }

    private void write(FolderNode folder, Path source, Path target, @Nullable SplittableRandom random)
            throws IOException {
        Files.createDirectories(target);
        if (Files.isDirectory(source)) {
            for (final Path path : real.list(source)) {
                child(folder, path);
            }
        }
        final Map<String, Node> entries = new TreeMap<>(folder.durable);
        if (random != null) {
            final int keptPercent = new int[] {3, 30, 50, 70, 97}[random.nextInt(5)];
            for (final Change change : folder.pending) {
                if (random.nextInt(100) < keptPercent) {
                    change.apply(entries);
                }
            }
        }
        for (final Map.Entry<String, Node> entry : entries.entrySet()) {
            final Path to = target.resolve(entry.getKey());
            if (entry.getValue() instanceof FileNode file) {
                Files.write(to, file.afterPowerFailure(random));
            } else if (entry.getValue() instanceof FolderNode inner) {
                write(inner, source.resolve(entry.getKey()), to, random);
            }
        }
    }
}
