package io.tidemark.tools.verify;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Compares {@code leader-epoch-checkpoint} with the epochs in the batches, which it is told in order. Each epoch of the
 * batches must have an entry that says where its first batch begins. The first entry may begin earlier, in a part of
 * the log that was deleted; entries at or behind the end of the log are epochs without records.
 */
final class EpochCheck {
    private static final String FILE_NAME = "leader-epoch-checkpoint";

    /** An epoch and where it begins. */
    private record Entry(long epoch, long startOffset) {}

    private final Path file;
    private final Consumer<Finding> findings;
    private final List<Entry> expected = new ArrayList<>();
    private long endOffset;

    /**
     * Prepares.
     *
     * @param folder a partition folder
     * @param findings receives what is wrong
     */
    EpochCheck(Path folder, Consumer<Finding> findings) {
        this.file = folder.resolve(FILE_NAME);
        this.findings = findings;
    }

    /**
     * Takes the next batch of the log.
     *
     * @param batch that was read
     */
    void onBatch(LoggedBatch batch) {
        endOffset = batch.lastOffset() + 1;
        if (expected.isEmpty() || expected.get(expected.size() - 1).epoch() < batch.leaderEpoch()) {
            expected.add(new Entry(batch.leaderEpoch(), batch.baseOffset()));
        }
    }

    private void find(String what) {
        findings.accept(new Finding(file, 0, what, Finding.REBUILD));
    }

    /**
     * Compares.
     *
     * @throws IOException if the file cannot be read
     */
    void finish() throws IOException {
        if (!Files.exists(file)) {
            if (!expected.isEmpty()) {
                find("the history of epochs is missing: epochs in the batches=" + expected.size());
            }
            return;
        }
        List<Entry> found = new ArrayList<>();
        try {
            String text = SmallFiles.read(file);
            for (String[] fields : SmallFiles.entries(file, text == null ? "" : text, 2)) {
                found.add(new Entry(SmallFiles.number(fields[0]), SmallFiles.number(fields[1])));
            }
        } catch (DamagedLogException e) {
            find("the history of epochs cannot be read: " + e.getMessage());
            return;
        }
        for (int i = 1; i < found.size(); i++) {
            if (found.get(i).epoch() <= found.get(i - 1).epoch()
                    || found.get(i).startOffset() <= found.get(i - 1).startOffset()) {
                find("epochs do not grow: " + describe(found.get(i)) + ", before: " + describe(found.get(i - 1)));
                return;
            }
        }
        compare(found);
    }

    private void compare(List<Entry> found) {
        int at = 0;
        for (int i = 0; i < expected.size(); i++) {
            Entry want = expected.get(i);
            boolean isFirst = i == 0;
            while (at < found.size() && found.get(at).epoch() < want.epoch()) {
                Entry extra = found.get(at++);
                // Only in front of the first batch there may be an epoch whose records were deleted.
                if (!isFirst || extra.startOffset() >= want.startOffset()) {
                    find("no batch has the epoch of an entry: " + describe(extra));
                }
            }
            if (at == found.size() || found.get(at).epoch() != want.epoch()) {
                find("an epoch of the batches has no entry: " + describe(want));
                continue;
            }
            Entry entry = found.get(at++);
            if (isFirst ? entry.startOffset() > want.startOffset() : entry.startOffset() != want.startOffset()) {
                find("an epoch begins elsewhere than the entry says: " + describe(entry) + ", first batch at="
                        + want.startOffset());
            }
        }
        for (; at < found.size(); at++) {
            if (found.get(at).startOffset() < endOffset) {
                find("no batch has the epoch of an entry: " + describe(found.get(at)));
            }
        }
    }

    private static String describe(Entry entry) {
        return "epoch=" + entry.epoch() + ", startOffset=" + entry.startOffset();
    }
}
