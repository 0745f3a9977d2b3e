package io.tidemark.coordination.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.coordination.Change;
import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Version;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What a journal finds again after a crash at every byte and step, and what it makes of damage. */
final class JournalTest {
    private static final long COMPACTION_SIZE_BYTES = 300;
    private static final int COMMITS = 12;

    private static Change put(String path, String value, long revision, OptionalLong owner) {
        Version version = new Version(revision, revision, revision);
        return new Change.Put(new Entry(Key.of(path), value.getBytes(StandardCharsets.UTF_8), version, owner));
    }

    private static Map<String, String> texts(Map<String, Entry> entries) {
        Map<String, String> texts = new TreeMap<>();
        entries.forEach((path, entry) -> texts.put(path, entry.valueText() + "@" + entry.version()));
        return texts;
    }

    /** A store that writes to a journal, and what it knows to be durable. */
    private static final class Writer {
        private final StoreFolder folder;
        private final TreeMap<String, Entry> state = new TreeMap<>();
        private final TreeMap<String, Entry> attempted = new TreeMap<>();
        private Map<String, String> durable = new TreeMap<>();
        private long durableRevision;
        private int compactions;

        Writer(StoreFolder folder) {
            this.folder = folder;
        }

        void run() throws IOException {
            try (Journal journal = Journal.open(folder, COMPACTION_SIZE_BYTES)) {
                long revision = journal.recovered().revision();
                durableRevision = revision;
                for (int i = 0; i < COMMITS; i++) {
                    revision++;
                    write(journal, revision, changes(i, revision));
                    durable = texts(state);
                    durableRevision = revision;
                }
            }
        }

        private static List<Change> changes(int i, long revision) {
            Change ephemeral = put("/ephemeral", "e", revision, OptionalLong.of(7));
            Change both = put("/both/" + i % 3, "v" + i, revision, OptionalLong.empty());
            return i % 4 == 3
                    ? List.of(new Change.Deleted(Key.of("/both/" + (i + 1) % 3), revision), ephemeral)
                    : List.of(both, put("/twin/" + i % 3, "v" + i, revision, OptionalLong.empty()), ephemeral);
        }

        private void write(Journal journal, long revision, List<Change> changes) throws IOException {
            attempted.clear();
            attempted.putAll(state);
            for (Change change : changes) {
                if (change instanceof Change.Deleted) {
                    attempted.remove(change.key().path());
                } else if (change instanceof Change.Put put
                        && put.entry().ownerSessionId().isEmpty()) {
                    attempted.put(change.key().path(), put.entry());
                }
            }
            if (journal.isCompactionDue()) {
                compactions++;
                journal.compact(revision, attempted.values());
            } else {
                journal.append(revision, changes);
            }
            state.clear();
            state.putAll(attempted);
        }
    }

    // Killed or without power at every byte and step: all that was acknowledged is there, whole, and the revision
    // grows.
    @Test
    void shouldFindWhatWasDurableAfterACrashAtEveryStep() throws Exception {
        FaultyFolder whole = FaultyFolder.working();
        Writer complete = new Writer(whole);
        complete.run();
        assertTrue(complete.compactions > 1, "compactions=" + complete.compactions);
        for (long step = 0; step < whole.steps(); step++) {
            FaultyFolder folder = FaultyFolder.crashingAt(step);
            Writer writer = new Writer(folder);
            assertThrows(Exception.class, writer::run, "step=" + step);
            assertEquals(0, folder.openOutputs(), "step=" + step);
            checkFound(writer, folder.afterKill(), "killed at step=" + step);
            checkFound(writer, folder.afterPowerFailure(), "without power at step=" + step);
        }
    }

    private static void checkFound(Writer writer, FaultyFolder left, String when) throws IOException {
        try (Journal journal = Journal.open(left, COMPACTION_SIZE_BYTES)) {
            Map<String, String> found = texts(journal.recovered().entries());
            assertTrue(
                    found.equals(writer.durable) || found.equals(texts(writer.attempted)),
                    () -> when + ", found=" + found + ", durable=" + writer.durable);
            assertTrue(journal.recovered().revision() > writer.durableRevision, when);
        }
    }

    // Crashed again while it recovers, at every step: nothing of what was durable gets lost.
    @Test
    void shouldSurviveACrashWhileItOpens() throws Exception {
        byte[] content = journalOfThree();
        byte[] torn = Arrays.copyOf(content, content.length - 1);
        for (long step = 0; step < 2_000; step++) {
            FaultyFolder folder = FaultyFolder.crashingAt(step);
            folder.put(Journal.FILE, torn);
            boolean opened = opens(folder);
            Map<String, String> killed = found(folder.afterKill());
            assertEquals(killed, found(folder.afterPowerFailure()), "step=" + step);
            assertEquals(Set.of("/key/2", "/key/3"), killed.keySet());
            if (opened) {
                return;
            }
        }
        throw new AssertionError("the opening takes more steps than the test allows");
    }

    private static boolean opens(FaultyFolder folder) throws IOException {
        try (Journal journal = Journal.open(folder, COMPACTION_SIZE_BYTES)) {
            return journal.recovered().revision() > 0;
        } catch (CoordinationException crashed) {
            assertTrue(String.valueOf(crashed.getMessage()).contains("planned crash"), crashed.getMessage());
            return false;
        }
    }

    private static Map<String, String> found(FaultyFolder folder) throws IOException {
        try (Journal journal = Journal.open(folder, COMPACTION_SIZE_BYTES)) {
            return texts(journal.recovered().entries());
        }
    }

    /** A journal of a snapshot and three commits. */
    private static byte[] journalOfThree() throws IOException {
        FaultyFolder folder = FaultyFolder.working();
        try (Journal journal = Journal.open(folder, 1 << 20)) {
            for (int i = 2; i < 5; i++) {
                journal.append(i, List.of(put("/key/" + i, "value " + i, i, OptionalLong.empty())));
            }
        }
        return Objects.requireNonNull(folder.read(Journal.FILE));
    }

    private static CoordinationException refused(byte[] content) {
        FaultyFolder folder = FaultyFolder.working();
        folder.put(Journal.FILE, content);
        CoordinationException damage = assertThrows(
                CoordinationException.class, () -> Journal.open(folder, 1 << 20).close());
        assertFalse(folder.isLocked(), "a refused folder is given up");
        assertTrue(Arrays.equals(content, readBack(folder)), "a refused folder is left as it is");
        return damage;
    }

    private static byte[] readBack(FaultyFolder folder) {
        try {
            return Objects.requireNonNull(folder.read(Journal.FILE));
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
    }

    // One flipped bit anywhere, in the last frame too, is told and not taken for a torn tail.
    @Test
    void shouldReportEveryFlippedBit() throws Exception {
        byte[] content = journalOfThree();
        for (int at = 0; at < content.length; at++) {
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                byte[] damaged = content.clone();
                damaged[at] ^= (byte) (1 << bit);
                String text = String.valueOf(refused(damaged).getMessage());
                assertTrue(text.startsWith("the journal of a local: store is damaged: "), text);
                assertTrue(text.contains("file=/faulty/coordination.journal, position="), text);
            }
        }
    }

    @Test
    void shouldSayWhereTheDamageIsAndWhatToDo() throws Exception {
        byte[] content = journalOfThree();
        content[content.length - 1] ^= 1;
        String text = String.valueOf(refused(content).getMessage());
        assertTrue(
                text.matches("the journal of a local: store is damaged: the checksum of a frame is wrong: frame=3,"
                        + " expected=0x[0-9a-f]+, actual=0x[0-9a-f]+, file=/faulty/coordination.journal,"
                        + " position=\\d+, sizeBytes=" + content.length
                        + "; nothing was changed: restore the folder from a backup, or begin anew with an empty one"),
                text);
    }

    // Cut anywhere behind the snapshot: what is whole before the cut is found.
    @Test
    void shouldCutATornTail() throws Exception {
        byte[] content = journalOfThree();
        int snapshotEnd = JournalFrame.FILE_HEADER_SIZE_BYTES + JournalFrame.HEADER_SIZE_BYTES + 17;
        for (int size = snapshotEnd; size < content.length; size++) {
            FaultyFolder folder = FaultyFolder.working();
            folder.put(Journal.FILE, Arrays.copyOf(content, size));
            int whole = (size - snapshotEnd) * 3 / (content.length - snapshotEnd);
            assertEquals(whole, found(folder).size(), "size=" + size);
        }
        for (int size = 0; size < snapshotEnd; size++) {
            refused(Arrays.copyOf(content, size));
        }
    }

    // A power failure may leave the size of a file without its bytes: a tail of zeros was never acknowledged.
    @Test
    void shouldCutATailThatWasNeverWritten() throws Exception {
        byte[] content = journalOfThree();
        FaultyFolder longer = FaultyFolder.working();
        longer.put(Journal.FILE, Arrays.copyOf(content, content.length + 700));
        assertEquals(3, found(longer).size());
        FaultyFolder folder = FaultyFolder.working();
        try (Journal journal = Journal.open(folder, 1 << 20)) {
            journal.append(2, List.of(put("/small", "s", 2, OptionalLong.empty())));
            journal.append(3, List.of(put("/large", "l".repeat(2_000), 3, OptionalLong.empty())));
        }
        byte[] hole = Objects.requireNonNull(folder.read(Journal.FILE));
        Arrays.fill(hole, 512, 1024, (byte) 0);
        FaultyFolder half = FaultyFolder.working();
        half.put(Journal.FILE, hole);
        assertEquals(Set.of("/small"), found(half).keySet());
    }

    // A hole before frames that are whole is no tail.
    @Test
    void shouldReportAHoleInTheMiddle() throws Exception {
        byte[] content = journalOfThree();
        int snapshotEnd = JournalFrame.FILE_HEADER_SIZE_BYTES + JournalFrame.HEADER_SIZE_BYTES + 17;
        int frame = (content.length - snapshotEnd) / 3;
        Arrays.fill(content, snapshotEnd, snapshotEnd + frame, (byte) 0);
        assertTrue(
                String.valueOf(refused(content).getMessage()).contains("position=" + snapshotEnd + ","),
                "the position of the hole");
    }

    // A file that is left from an interrupted compaction counts for nothing.
    @Test
    void shouldIgnoreAnUnfinishedNextFile() throws Exception {
        FaultyFolder folder = FaultyFolder.working();
        folder.put(Journal.FILE, journalOfThree());
        folder.put(Journal.NEXT_FILE, new byte[] {1, 2, 3});
        assertEquals(3, found(folder).size());
        assertNull(folder.read(Journal.NEXT_FILE));
        assertNotNull(folder.read(Journal.FILE));
    }

    // The format is fixed: a folder of this version must be readable for ever.
    @Test
    void shouldWriteTheFormatThatIsDocumented() {
        byte[] frame = new JournalFrame(
                        JournalFrame.Kind.COMMITS, 3, 5, 2, List.of(put("/k", "v", 5, OptionalLong.empty())))
                .encode();
        assertEquals(
                "7ec0face" + "0000002b" + "0000000000000003",
                HexFormat.of().formatHex(frame, 0, JournalFrame.PAYLOAD_CRC_OFFSET));
        assertEquals(
                "02" + "0000000000000005" + "00000002" + "00000001" + "01" + "0002" + "2f6b" + "0000000000000005"
                        + "0000000000000005" + "00000001" + "76",
                HexFormat.of().formatHex(frame, JournalFrame.HEADER_SIZE_BYTES, frame.length));
    }

    // Snapshots of more than one frame are read back whole.
    @Test
    void shouldReadALargeSnapshot() throws Exception {
        FaultyFolder folder = FaultyFolder.working();
        TreeMap<String, Entry> large = new TreeMap<>();
        for (int i = 0; i < 10; i++) {
            Change.Put put = (Change.Put) put("/k" + i, "x".repeat(100_000), 1, OptionalLong.empty());
            large.put(put.key().path(), put.entry());
        }
        try (Journal journal = Journal.open(folder, 1 << 20)) {
            journal.compact(2, large.values());
            assertFalse(journal.isCompactionDue());
        }
        assertEquals(texts(large), found(folder));
    }
}
