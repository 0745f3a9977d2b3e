package io.tidemark.tools.verify;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * Compares the offset index of a segment with the segment's batches, which it is told in order. An entry is 8 bytes:
 * offset minus base offset (4), position (4). It is right if a batch begins at its position and that batch, or one
 * behind it and in front of the next entry, ends with its offset. (Kafka writes one entry for all batches of a
 * request.)
 */
final class IndexCheck {
    private static final int ENTRY_LENGTH = 8;

    private final Path file;
    private final long baseOffset;
    private final Consumer<Finding> findings;
    private final ByteBuffer entries;
    private int at;
    private boolean isOpen;

    /**
     * Reads an index.
     *
     * @param file the file
     * @param baseOffset of the segment
     * @param findings receives what is wrong
     * @throws IOException if it cannot be read
     */
    IndexCheck(Path file, long baseOffset, Consumer<Finding> findings) throws IOException {
        this.file = file;
        this.baseOffset = baseOffset;
        this.findings = findings;
        byte[] bytes = Files.readAllBytes(file);
        entries = ByteBuffer.wrap(bytes, 0, bytes.length / ENTRY_LENGTH * ENTRY_LENGTH);
        if (bytes.length % ENTRY_LENGTH != 0) {
            find(entries.limit(), "index ends within an entry: size=" + bytes.length);
        }
        checkOrder();
    }

    private void checkOrder() {
        for (int i = ENTRY_LENGTH; i < entries.limit(); i += ENTRY_LENGTH) {
            if (entries.getInt(i) <= entries.getInt(i - ENTRY_LENGTH)
                    || entries.getInt(i + 4) <= entries.getInt(i - 4)) {
                find(i, "index entries do not grow: " + describe(i) + ", before: " + describe(i - ENTRY_LENGTH));
                entries.limit(i);
            }
        }
    }

    private void find(long position, String what) {
        findings.accept(new Finding(file, position, what, Finding.REBUILD));
    }

    private String describe(int entry) {
        return "offset=" + offset(entry) + ", position=" + entries.getInt(entry + 4);
    }

    private long offset(int entry) {
        return baseOffset + entries.getInt(entry);
    }

    /**
     * Takes the next batch of the segment.
     *
     * @param batch that was read
     */
    void onBatch(LoggedBatch batch) {
        while (at < entries.limit() && isPassed(batch.position())) {
            close(isOpen ? "no batch ends with the offset of the entry: " : "no batch begins where the entry says: ");
        }
        if (at < entries.limit() && entries.getInt(at + 4) == batch.position()) {
            isOpen = true;
        }
        if (isOpen && batch.lastOffset() == offset(at)) {
            at += ENTRY_LENGTH;
            isOpen = false;
        }
    }

    /** Whether the current entry can not be met any more: it lies before a position, or the next one has its turn. */
    private boolean isPassed(long position) {
        int next = at + ENTRY_LENGTH;
        return isOpen
                ? next < entries.limit() && entries.getInt(next + 4) <= position
                : entries.getInt(at + 4) < position;
    }

    private void close(String what) {
        find(at, what + describe(at));
        at += ENTRY_LENGTH;
        isOpen = false;
    }

    /** Says that there are no more batches. */
    void finish() {
        while (at < entries.limit()) {
            close(isOpen ? "no batch ends with the offset of the entry: " : "entry lies behind the last batch: ");
        }
    }
}
