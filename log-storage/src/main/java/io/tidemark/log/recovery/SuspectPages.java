package io.tidemark.log.recovery;

import io.tidemark.log.io.FileHandle;
import io.tidemark.log.io.FileSystem;
import io.tidemark.log.io.FileSystem.OpenMode;
import io.tidemark.log.segment.LogView;
import io.tidemark.log.segment.Segment;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Writes bytes of a log anew that are in the page cache, but perhaps not on the disk: each to its own place, so that a
 * crash meanwhile changes nothing. A pure function of the file system given.
 */
public final class SuspectPages {
    private static final int CHUNK = 1 << 18;

    private SuspectPages() {}

    /**
     * Writes and forces every segment that holds an offset at or above the one given.
     *
     * @param fileSystem that holds them
     * @param view the recovered log
     * @param fromOffset end of what is known to be on the disk
     * @throws IOException when it may not be on the disk
     */
    public static void rewrite(FileSystem fileSystem, LogView view, long fromOffset) throws IOException {
        final ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK);
        for (int i = view.floor(fromOffset); i < view.segmentCount(); i++) {
            final Segment segment = view.segment(i);
            try (FileHandle file = fileSystem.open(segment.path(), OpenMode.WRITE)) {
                final int size = segment.size();
                int at = 0;
                while (at < size) {
                    chunk.clear().limit(Math.min(CHUNK, size - at));
                    final int n = file.read(chunk, at);
                    if (n == 0) {
                        throw new IOException("segment file ends too early: file=" + segment.path() + ", position=" + at
                                + ", expectedBytes=" + size);
                    }
                    file.write(chunk.flip(), at);
                    at += n;
                }
                file.force();
            }
        }
    }
}
