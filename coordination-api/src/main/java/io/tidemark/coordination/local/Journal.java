package io.tidemark.coordination.local;

import io.tidemark.coordination.Change;
import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.Entry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The durable form of a store: one file that begins with a snapshot and grows by a frame for each group of commits.
 * When it has grown enough, and at each opening, a new file is written beside it, forced, and renamed over it; so the
 * file of that name is whole at all times but for its last frame. Not usable after a failure. One thread at a time.
 */
final class Journal implements AutoCloseable {
    /** The file in the folder. */
    static final String FILE = "coordination.journal";
    /** The next one while it is written; worth nothing when found at the opening. */
    static final String NEXT_FILE = "coordination.journal.next";

    /** A snapshot is written in frames of about this size. */
    private static final int SNAPSHOT_FRAME_SIZE_BYTES = 256 * 1024;
    /** The file may grow to this many times its snapshot. */
    private static final int GROWTH_MAX = 4;

    private final StoreFolder folder;
    private final long compactionSizeBytes;
    private JournalReader.Recovered recovered = new JournalReader.Recovered(new TreeMap<>(), 0, 0);
    private StoreFolder.@Nullable Output output;
    private long frames;
    private long sizeBytes;
    private long snapshotSizeBytes;

    private Journal(StoreFolder folder, long compactionSizeBytes) {
        this.folder = folder;
        this.compactionSizeBytes = compactionSizeBytes;
    }

    /**
     * Opens the journal in a folder, or begins one. The sessions of the last process end with that, which raises the
     * revision by one.
     *
     * @param folder the folder; closed here if this fails
     * @param compactionSizeBytes the file may grow to this size at least
     * @return the journal
     * @throws CoordinationException if the folder is in use, damaged, or cannot be read or written
     */
    static Journal open(StoreFolder folder, long compactionSizeBytes) {
        Journal journal = new Journal(folder, compactionSizeBytes);
        try {
            journal.begin();
            return journal;
        } catch (CoordinationException refused) {
            throw journal.givenUp(refused);
        } catch (IOException failed) {
            throw journal.givenUp(new CoordinationException(
                    "the folder of a local: store cannot be opened: folder=" + folder.path() + ", reason=" + failed
                            + "; check that it is a folder which this process may write, and has space",
                    failed));
        }
    }

    private void begin() throws IOException {
        if (!folder.tryLock()) {
            throw new CoordinationException("the folder of a local: store is in use: folder=" + folder.path()
                    + "; only one process may have it open: end the other one, give this one a folder of its own,"
                    + " or use a coordination server for several");
        }
        byte[] content = folder.read(FILE);
        JournalReader.Recovered found =
                content == null ? recovered : JournalReader.read(folder.path() + "/" + FILE, content);
        recovered = new JournalReader.Recovered(found.entries(), found.revision() + 1, found.openings() + 1);
        compact(recovered.revision(), recovered.entries().values());
    }

    private CoordinationException givenUp(CoordinationException reason) {
        try {
            close();
        } catch (IOException failed) {
            reason.addSuppressed(failed);
        }
        return reason;
    }

    /**
     * What the journal held, after the end of the sessions of the last process.
     *
     * @return the state to begin with
     */
    JournalReader.Recovered recovered() {
        return recovered;
    }

    /**
     * Makes changes durable.
     *
     * @param revision the revision of the store with them
     * @param changes in order; those of ephemeral keys may be among them
     * @throws IOException if it is not certain that they are durable
     */
    void append(long revision, Collection<Change> changes) throws IOException {
        write(requireOutput(), JournalFrame.Kind.COMMITS, revision, changes);
        requireOutput().force();
    }

    /**
     * Tells whether the file has grown enough to be written anew.
     *
     * @return true if so
     */
    boolean isCompactionDue() {
        return sizeBytes > Math.max(compactionSizeBytes, GROWTH_MAX * snapshotSizeBytes);
    }

    /**
     * Begins a new file with the whole store, which makes all of it durable.
     *
     * @param revision the revision of the store
     * @param entries the store; ephemeral keys may be among them
     * @throws IOException if it is not certain that it is durable
     */
    void compact(long revision, Collection<Entry> entries) throws IOException {
        StoreFolder.Output next = folder.create(NEXT_FILE);
        StoreFolder.Output last = output;
        output = next;
        if (last != null) {
            last.close();
        }
        frames = 0;
        sizeBytes = JournalFrame.FILE_HEADER_SIZE_BYTES;
        next.write(fileHeader());
        List<Change> part = new ArrayList<>();
        long partSizeBytes = 0;
        for (Entry entry : entries) {
            Change change = new Change.Put(entry);
            if (partSizeBytes > SNAPSHOT_FRAME_SIZE_BYTES) {
                write(next, JournalFrame.Kind.SNAPSHOT, revision, part);
                part.clear();
                partSizeBytes = 0;
            }
            part.add(change);
            partSizeBytes += JournalFrame.sizeBytes(change);
        }
        write(next, JournalFrame.Kind.SNAPSHOT_END, revision, part);
        next.force();
        folder.rename(NEXT_FILE, FILE);
        folder.force();
        snapshotSizeBytes = sizeBytes;
    }

    private static byte[] fileHeader() {
        return ByteBuffer.allocate(JournalFrame.FILE_HEADER_SIZE_BYTES)
                .putLong(JournalFrame.FILE_MAGIC)
                .array();
    }

    private void write(StoreFolder.Output to, JournalFrame.Kind kind, long revision, Collection<Change> changes)
            throws IOException {
        List<Change> kept = changes.stream().filter(Journal::isKept).toList();
        byte[] bytes = new JournalFrame(kind, frames, revision, recovered.openings(), kept).encode();
        to.write(bytes);
        frames++;
        sizeBytes += bytes.length;
    }

    private static boolean isKept(Change change) {
        return !(change instanceof Change.Put put)
                || put.entry().ownerSessionId().isEmpty();
    }

    private StoreFolder.Output requireOutput() {
        StoreFolder.Output current = output;
        if (current == null) {
            throw new IllegalStateException("the journal is closed: folder=" + folder.path());
        }
        return current;
    }

    /** Closes the file and gives the folder up; what was not appended is not saved. */
    @Override
    public void close() throws IOException {
        StoreFolder.Output last = output;
        output = null;
        try {
            if (last != null) {
                last.close();
            }
        } finally {
            folder.close();
        }
    }
}
