package io.tidemark.coordination.local;

import io.tidemark.coordination.Change;
import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.Entry;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.TreeMap;

/**
 * Reads what a journal holds. A last frame that was not written to its end is left out: nobody was told that it is
 * durable. Everything else that is not right is damage and stops the opening, because what was acknowledged would be
 * lost silently. One use, one thread.
 */
final class JournalReader {
    /** A disk loses or keeps whole sectors of a write that a power failure cut. */
    private static final int SECTOR_SIZE_BYTES = 512;

    private final String file;
    private final ByteBuffer content;
    private final TreeMap<String, Entry> entries = new TreeMap<>();
    private boolean snapshotEnded;
    private long revision;
    private int openings;

    /**
     * What was found.
     *
     * @param entries the keys and values, by path
     * @param revision the revision of the last durable commit
     * @param openings how often the store was opened
     */
    record Recovered(TreeMap<String, Entry> entries, long revision, int openings) {}

    private JournalReader(String file, byte[] content) {
        this.file = file;
        this.content = ByteBuffer.wrap(content).order(ByteOrder.BIG_ENDIAN);
    }

    /**
     * Reads a journal.
     *
     * @param file its path, for messages
     * @param content all its bytes
     * @return what it holds
     * @throws CoordinationException if it is damaged; names the position
     */
    static Recovered read(String file, byte[] content) {
        return new JournalReader(file, content).read();
    }

    private Recovered read() {
        if (content.capacity() < JournalFrame.FILE_HEADER_SIZE_BYTES || content.getLong(0) != JournalFrame.FILE_MAGIC) {
            throw damage(0, "it does not begin as a journal of this version");
        }
        int position = JournalFrame.FILE_HEADER_SIZE_BYTES;
        long number = 0;
        while (position < content.capacity()) {
            int end = endOfFrame(position, number);
            if (end < 0) {
                break;
            }
            apply(position, end, number);
            position = end;
            number++;
        }
        if (!snapshotEnded) {
            throw damage(position, "its snapshot is not complete");
        }
        return new Recovered(entries, revision, openings);
    }

    /** Where the frame ends that begins here, or -1 if it is the torn tail. */
    private int endOfFrame(int position, long number) {
        int left = content.capacity() - position;
        if (left < JournalFrame.HEADER_SIZE_BYTES) {
            return -1;
        }
        if (!isHeader(position) || content.getLong(position + JournalFrame.NUMBER_OFFSET) != number) {
            if (holdsUnwrittenSector(position) && !isFrameBehind(position)) {
                return -1;
            }
            throw damage(position, "the header of a frame is wrong: frame=" + number);
        }
        int payloadSize = content.getInt(position + JournalFrame.PAYLOAD_SIZE_OFFSET);
        if (payloadSize > left - JournalFrame.HEADER_SIZE_BYTES) {
            return -1;
        }
        int expected = content.getInt(position + JournalFrame.PAYLOAD_CRC_OFFSET);
        int actual = JournalFrame.crc(content, position + JournalFrame.HEADER_SIZE_BYTES, payloadSize);
        int end = position + JournalFrame.HEADER_SIZE_BYTES + payloadSize;
        if (expected != actual) {
            // A frame is begun only after the one before was forced: only the last one can be torn.
            if (end == content.capacity() && holdsUnwrittenSector(position)) {
                return -1;
            }
            throw damage(
                    position,
                    "the checksum of a frame is wrong: frame=" + number + ", expected=0x"
                            + Integer.toHexString(expected) + ", actual=0x" + Integer.toHexString(actual));
        }
        return end;
    }

    private boolean isHeader(int position) {
        return content.getInt(position) == JournalFrame.FRAME_MAGIC
                && content.getInt(position + JournalFrame.PAYLOAD_SIZE_OFFSET) >= 0
                && content.getInt(position + JournalFrame.HEADER_CRC_OFFSET)
                        == JournalFrame.crc(content, position, JournalFrame.HEADER_CRC_OFFSET);
    }

    private boolean isFrameBehind(int position) {
        for (int at = position + 1; at <= content.capacity() - JournalFrame.HEADER_SIZE_BYTES; at++) {
            if (content.getInt(at) == JournalFrame.FRAME_MAGIC && isHeader(at)) {
                return true;
            }
        }
        return false;
    }

    /** Whether part of the rest was never written: a sector, as far as it belongs to the rest, that is all zero. */
    private boolean holdsUnwrittenSector(int position) {
        int from = position;
        while (from < content.capacity()) {
            int to = Math.min(content.capacity(), (from / SECTOR_SIZE_BYTES + 1) * SECTOR_SIZE_BYTES);
            if (to - from >= JournalFrame.HEADER_SIZE_BYTES && isZero(from, to)) {
                return true;
            }
            from = to;
        }
        return false;
    }

    private boolean isZero(int from, int to) {
        for (int at = from; at < to; at++) {
            if (content.get(at) != 0) {
                return false;
            }
        }
        return true;
    }

    private void apply(int position, int end, long number) {
        JournalFrame frame;
        try {
            int from = position + JournalFrame.HEADER_SIZE_BYTES;
            frame = JournalFrame.decode(number, content.slice(from, end - from));
        } catch (IllegalArgumentException senseless) {
            throw damage(position, "frame=" + number + ": " + senseless.getMessage());
        }
        boolean commits = frame.kind() == JournalFrame.Kind.COMMITS;
        if (commits != snapshotEnded || frame.revision() < revision) {
            throw damage(
                    position,
                    "a frame is out of order: frame=" + number + ", kind=" + frame.kind() + ", revision="
                            + frame.revision() + ", revisionBefore=" + revision);
        }
        snapshotEnded |= frame.kind() == JournalFrame.Kind.SNAPSHOT_END;
        revision = frame.revision();
        openings = frame.openings();
        for (Change change : frame.changes()) {
            if (change instanceof Change.Put put) {
                entries.put(put.key().path(), put.entry());
            } else {
                entries.remove(change.key().path());
            }
        }
    }

    private CoordinationException damage(int position, String what) {
        return new CoordinationException("the journal of a local: store is damaged: " + what + ", file=" + file
                + ", position=" + position + ", sizeBytes=" + content.capacity()
                + "; nothing was changed: restore the folder from a backup, or begin anew with an empty one");
    }
}
