package io.tidemark.coordination.local;

import io.tidemark.coordination.Change;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Version;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.zip.CRC32C;

/**
 * One step of a journal: changes that became durable together. Immutable. All numbers are big-endian:
 *
 * <pre>
 * file:    long FILE_MAGIC, then frames
 * frame:   int FRAME_MAGIC | int payloadSize | long number | int payloadCrc | int headerCrc (of the 20 bytes before)
 * payload: byte kind (0, 1, 2) | long revision | int openings | int changeCount | changes
 * change:  byte PUT (1)    | short keySize | key | long createRevision | long modRevision | int valueSize | value
 *          byte DELETE (2) | short keySize | key
 * </pre>
 *
 * The first frames of a file, SNAPSHOT, hold the whole store, the last of them with the kind SNAPSHOT_END; the file
 * gets its name only after all of them were forced. COMMITS frames follow, each begun only after the one before was
 * forced. Ephemeral keys are left out: they end with the process.
 *
 * @param kind what the frame is part of
 * @param number counts the frames of a file from 0
 * @param revision the revision of the store with this frame
 * @param openings how often the store was opened up to now
 * @param changes the states of keys, in order
 */
record JournalFrame(Kind kind, long number, long revision, int openings, List<Change> changes) {
    /** What a frame is part of. */
    enum Kind {
        /** The state of the store when the file was begun. */
        SNAPSHOT((byte) 0),
        /** The last part of that. */
        SNAPSHOT_END((byte) 1),
        /** What was committed since. */
        COMMITS((byte) 2);

        private final byte code;

        Kind(byte code) {
            this.code = code;
        }

        private static Kind of(byte code) {
            for (Kind kind : values()) {
                if (kind.code == code) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("unknown kind of frame: kind=" + code);
        }
    }

    /** Begins every file; the last byte is the version of the format. */
    static final long FILE_MAGIC = 0x546d436f6f726401L;
    /** The size of the file's own header. */
    static final int FILE_HEADER_SIZE_BYTES = Long.BYTES;
    /** Begins every frame. */
    static final int FRAME_MAGIC = 0x7ec0face;
    /** The size of what stands before a payload. */
    static final int HEADER_SIZE_BYTES = 24;

    /** Where the header has the size of the payload. */
    static final int PAYLOAD_SIZE_OFFSET = 4;
    /** Where the header has the number of the frame. */
    static final int NUMBER_OFFSET = 8;
    /** Where the header has the checksum of the payload. */
    static final int PAYLOAD_CRC_OFFSET = 16;
    /** Where the header has the checksum of what stands before it. */
    static final int HEADER_CRC_OFFSET = 20;

    private static final int PAYLOAD_FIXED_SIZE_BYTES = 17;
    private static final byte PUT = 1;
    private static final byte DELETE = 2;

    /**
     * Keeps the changes as they are.
     *
     * @param kind what the frame is part of
     * @param number counts the frames of a file
     * @param revision the revision of the store
     * @param openings how often the store was opened
     * @param changes the states of keys
     */
    JournalFrame {
        changes = List.copyOf(changes);
    }

    /**
     * How many bytes a change takes in a payload.
     *
     * @param change the change
     * @return the number of bytes
     */
    static int sizeBytes(Change change) {
        int head = 1 + Short.BYTES + change.key().sizeBytes();
        return change instanceof Change.Put put
                ? head + 2 * Long.BYTES + Integer.BYTES + put.entry().valueSizeBytes()
                : head;
    }

    /**
     * Writes the frame with its checksums.
     *
     * @return header and payload
     */
    byte[] encode() {
        int payloadSize = PAYLOAD_FIXED_SIZE_BYTES;
        for (Change change : changes) {
            payloadSize = Math.addExact(payloadSize, sizeBytes(change));
        }
        ByteBuffer out = ByteBuffer.allocate(Math.addExact(HEADER_SIZE_BYTES, payloadSize))
                .order(ByteOrder.BIG_ENDIAN);
        out.position(HEADER_SIZE_BYTES);
        out.put(kind.code).putLong(revision).putInt(openings).putInt(changes.size());
        for (Change change : changes) {
            byte[] key = change.key().path().getBytes(StandardCharsets.UTF_8);
            out.put(change instanceof Change.Put ? PUT : DELETE)
                    .putShort((short) key.length)
                    .put(key);
            if (change instanceof Change.Put put) {
                Version version = put.entry().version();
                byte[] value = put.entry().value();
                out.putLong(version.createRevision()).putLong(version.modRevision());
                out.putInt(value.length).put(value);
            }
        }
        out.putInt(0, FRAME_MAGIC).putInt(PAYLOAD_SIZE_OFFSET, payloadSize).putLong(NUMBER_OFFSET, number);
        out.putInt(PAYLOAD_CRC_OFFSET, crc(out, HEADER_SIZE_BYTES, payloadSize));
        out.putInt(HEADER_CRC_OFFSET, crc(out, 0, HEADER_CRC_OFFSET));
        return out.array();
    }

    /**
     * Reads a payload whose checksum is right.
     *
     * @param number the number in the header
     * @param payload exactly the payload
     * @return the frame
     * @throws IllegalArgumentException if the payload makes no sense
     */
    static JournalFrame decode(long number, ByteBuffer payload) {
        if (payload.remaining() < PAYLOAD_FIXED_SIZE_BYTES) {
            throw new IllegalArgumentException("payload is too short: sizeBytes=" + payload.remaining());
        }
        Kind kind = Kind.of(payload.get());
        long revision = payload.getLong();
        int openings = payload.getInt();
        int count = payload.getInt();
        List<Change> changes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            changes.add(decodeChange(payload, revision));
        }
        if (payload.hasRemaining()) {
            throw new IllegalArgumentException("payload is too long: surplusBytes=" + payload.remaining());
        }
        return new JournalFrame(kind, number, revision, openings, changes);
    }

    private static Change decodeChange(ByteBuffer payload, long revision) {
        require(payload, 1 + Short.BYTES);
        byte kind = payload.get();
        Key key = Key.of(new String(bytes(payload, Short.toUnsignedInt(payload.getShort())), StandardCharsets.UTF_8));
        if (kind == DELETE) {
            return new Change.Deleted(key, revision);
        }
        if (kind != PUT) {
            throw new IllegalArgumentException("unknown kind of change: kind=" + kind + ", key=" + key);
        }
        require(payload, 2 * Long.BYTES + Integer.BYTES);
        long createRevision = payload.getLong();
        long modRevision = payload.getLong();
        byte[] value = bytes(payload, payload.getInt());
        Version version = new Version(createRevision, modRevision, modRevision);
        return new Change.Put(new Entry(key, value, version, OptionalLong.empty()));
    }

    private static byte[] bytes(ByteBuffer payload, int sizeBytes) {
        require(payload, sizeBytes);
        byte[] bytes = new byte[sizeBytes];
        payload.get(bytes);
        return bytes;
    }

    private static void require(ByteBuffer payload, int sizeBytes) {
        if (sizeBytes < 0 || payload.remaining() < sizeBytes) {
            throw new IllegalArgumentException(
                    "payload ends early: wantedBytes=" + sizeBytes + ", leftBytes=" + payload.remaining());
        }
    }

    /**
     * The checksum of a stretch of bytes.
     *
     * @param bytes holds them; its position is left alone
     * @param from where they begin
     * @param sizeBytes how many
     * @return CRC-32C
     */
    static int crc(ByteBuffer bytes, int from, int sizeBytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate().limit(from + sizeBytes).position(from));
        return (int) crc.getValue();
    }
}
