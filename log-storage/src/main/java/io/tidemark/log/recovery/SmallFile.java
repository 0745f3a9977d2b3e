package io.tidemark.log.recovery;

import io.tidemark.log.io.FileHandle;
import io.tidemark.log.io.FileSystem;
import io.tidemark.log.io.FileSystem.OpenMode;
import io.tidemark.log.segment.SegmentFileName;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Reads and replaces small text files as a whole. Pure functions of the file system given. */
public final class SmallFile {
    /** Largest file that is read: anything larger is not one of ours. */
    static final int BYTES_MAX = 64 << 20;

    private static final String SEAL = "crc32c=";

    private SmallFile() {}

    /**
     * Replaces a file so that after any crash either the old or the new content is there, and durably the new one when
     * this returns: a temporary file (cut first, it may be left over), force, rename, force of the folder.
     *
     * @param fileSystem that holds it
     * @param path of the file
     * @param content the new text
     * @throws IOException when it may not be durable
     */
    public static void replace(FileSystem fileSystem, Path path, String content) throws IOException {
        final Path temporary = path.resolveSibling(path.getFileName() + SegmentFileName.TEMPORARY);
        try (FileHandle file = fileSystem.open(temporary, OpenMode.CREATE)) {
            file.truncate(0);
            file.write(ByteBuffer.wrap(content.getBytes(StandardCharsets.UTF_8)), 0);
            file.force();
        }
        fileSystem.rename(temporary, path);
        fileSystem.syncDirectory(parentOf(path));
    }

    /**
     * Like {@link #replace}, with a last line that holds the checksum of the lines before.
     *
     * @param fileSystem that holds it
     * @param path of the file
     * @param content whole lines
     * @throws IOException when it may not be durable
     */
    public static void replaceSealed(FileSystem fileSystem, Path path, String content) throws IOException {
        replace(fileSystem, path, sealed(content));
    }

    /**
     * Adds the line with the checksum.
     *
     * @param content whole lines
     * @return the text that {@link #readSealed} believes
     */
    static String sealed(String content) {
        return content + SEAL + checksum(content) + "\n";
    }

    /**
     * Reads a file.
     *
     * @param fileSystem that holds it
     * @param path of the file
     * @return its text; null when it is not there
     * @throws IOException when it is there and cannot be read
     */
    public static @Nullable String read(FileSystem fileSystem, Path path) throws IOException {
        if (!fileSystem.exists(path) || fileSystem.isDirectory(path)) {
            return null;
        }
        try (FileHandle file = fileSystem.open(path, OpenMode.READ)) {
            final long size = file.size();
            if (size > BYTES_MAX) {
                throw new IOException("file is too large for what it should hold: file=" + path + ", sizeBytes=" + size
                        + ", greatest=" + BYTES_MAX);
            }
            final ByteBuffer bytes = ByteBuffer.allocate((int) size);
            file.read(bytes, 0);
            return StandardCharsets.UTF_8.decode(bytes.flip()).toString();
        }
    }

    /**
     * Reads a file that {@link #replaceSealed} wrote.
     *
     * @param fileSystem that holds it
     * @param path of the file
     * @return its lines without the checksum; null when it is not there or the checksum does not match
     * @throws IOException when it is there and cannot be read
     */
    public static @Nullable String readSealed(FileSystem fileSystem, Path path) throws IOException {
        final String text = read(fileSystem, path);
        if (text == null) {
            return null;
        }
        final int seal = text.lastIndexOf(SEAL);
        if (seal < 0) {
            return null;
        }
        final String content = text.substring(0, seal);
        return text.substring(seal).equals(SEAL + checksum(content) + "\n") ? content : null;
    }

    private static String checksum(String content) {
        final CRC32C crc = new CRC32C();
        crc.update(content.getBytes(StandardCharsets.UTF_8));
        return String.format("%08x", crc.getValue());
    }

    /**
     * The folder of a file.
     *
     * @param path of a file
     * @return the folder above it
     */
    static Path parentOf(Path path) {
        final Path parent = path.getParent();
        if (parent == null) {
            throw new IllegalArgumentException("file has no folder: file=" + path);
        }
        return parent;
    }
}
