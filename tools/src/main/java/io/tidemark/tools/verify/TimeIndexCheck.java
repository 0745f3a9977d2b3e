package io.tidemark.tools.verify;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * Compares the time index of a segment with the segment's batches, which it is told in order. An entry is 12 bytes:
 * timestamp (8), offset minus base offset (4). It is right if no batch up to the one that holds its offset has a
 * greater timestamp, and that one has this timestamp as its greatest.
 */
final class TimeIndexCheck {
    private static final int ENTRY_LENGTH = 12;

    private final Path file;
    private final long baseOffset;
    private final Consumer<Finding> findings;
    private final ByteBuffer entries;
    private int at;
    private long greatest = Long.MIN_VALUE;

    /**
     * Reads an index.
     *
     * @param file the file
     * @param baseOffset of the segment
     * @param findings receives what is wrong
     * @throws IOException if it cannot be read
     */
    TimeIndexCheck(Path file, long baseOffset, Consumer<Finding> findings) throws IOException {
        this.file = file;
        this.baseOffset = baseOffset;
        this.findings = findings;
        byte[] bytes = Files.readAllBytes(file);
        entries = ByteBuffer.wrap(bytes, 0, bytes.length / ENTRY_LENGTH * ENTRY_LENGTH);
        if (bytes.length % ENTRY_LENGTH != 0) {
            find(entries.limit(), "time index ends within an entry: size=" + bytes.length);
        }
        for (int i = ENTRY_LENGTH; i < entries.limit(); i += ENTRY_LENGTH) {
            if (timestamp(i) <= timestamp(i - ENTRY_LENGTH) || offset(i) < offset(i - ENTRY_LENGTH)) {
                find(i, "time index entries do not grow: " + describe(i) + ", before: " + describe(i - ENTRY_LENGTH));
                entries.limit(i);
            }
        }
    }

    private long timestamp(int entry) {
        return entries.getLong(entry);
    }

    private long offset(int entry) {
        return baseOffset + entries.getInt(entry + 8);
    }

    private String describe(int entry) {
        return "timestamp=" + timestamp(entry) + ", offset=" + offset(entry);
    }

    private void find(long position, String what) {
        findings.accept(new Finding(file, position, what, Finding.REBUILD));
    }

    /**
     * Takes the next batch of the segment.
     *
     * @param batch that was read
     */
    void onBatch(LoggedBatch batch) {
        greatest = Math.max(greatest, batch.maxTimestamp());
        while (at < entries.limit() && offset(at) <= batch.lastOffset()) {
            if (offset(at) < batch.baseOffset()) {
                find(at, "no batch holds the offset of the entry: " + describe(at));
            } else if (timestamp(at) != greatest || timestamp(at) != batch.maxTimestamp()) {
                find(
                        at,
                        "entry has another timestamp than the batches: " + describe(at) + ", greatest so far="
                                + greatest + ", greatest of the batch=" + batch.maxTimestamp());
            }
            at += ENTRY_LENGTH;
        }
    }

    /** Says that there are no more batches. */
    void finish() {
        for (; at < entries.limit(); at += ENTRY_LENGTH) {
            find(at, "entry lies behind the last batch: " + describe(at));
        }
    }
}
