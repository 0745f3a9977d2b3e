package io.tidemark.tools.verify;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Walks the uncompressed records of one batch. A record is: varint length, int8 attributes, varlong timestampDelta,
 * varint offsetDelta, varint key length and key, varint value length and value, varint header count and headers.
 * Variable-length numbers are zig-zag encoded, seven bits a byte, the lowest first; a length of -1 means null.
 */
public final class RecordWalk {
    private static final int VARINT_SHIFT_MAX = 28;
    private static final int VARLONG_SHIFT_MAX = 63;

    private final LoggedBatch batch;
    private final ByteBuffer in;
    private int read;
    private int lastDelta = -1;

    /**
     * Begins before the first record.
     *
     * @param batch what the records belong to
     * @param in the bytes of the records, to their end
     */
    RecordWalk(LoggedBatch batch, ByteBuffer in) {
        this.batch = batch;
        this.in = in;
    }

    /**
     * Reads the next record.
     *
     * @return the record, or null after the last one
     * @throws DamagedLogException if the records are not what the header says
     */
    public @Nullable LoggedRecord next() throws DamagedLogException {
        if (read == batch.recordCount()) {
            if (in.hasRemaining()) {
                throw damaged("bytes are left behind the last record: left=" + in.remaining());
            }
            return null;
        }
        try {
            LoggedRecord record = readRecord();
            read++;
            return record;
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw damaged("a record ends behind its batch: record=" + read);
        }
    }

    private LoggedRecord readRecord() throws DamagedLogException {
        int length = readVarint();
        int end = Math.addExact(in.position(), length);
        if (length < 0 || end > in.limit()) {
            throw damaged("a record ends behind its batch: record=" + read + ", length=" + length);
        }
        in.get();
        long ownTimestamp = batch.baseTimestamp() + readVarlong();
        long timestamp = batch.isAppendTime() ? batch.maxTimestamp() : ownTimestamp;
        int delta = readVarint();
        if (delta <= lastDelta || delta > batch.lastOffsetDelta()) {
            throw damaged("offsets in the batch do not grow: record=" + read + ", offsetDelta=" + delta + ", before="
                    + lastDelta + ", lastOffsetDelta=" + batch.lastOffsetDelta());
        }
        lastDelta = delta;
        ByteBuffer key = readBytes();
        ByteBuffer value = readBytes();
        List<LoggedRecord.Header> headers = readHeaders();
        if (in.position() != end) {
            throw damaged("a record has another length than it says: record=" + read + ", length=" + length
                    + ", actual=" + (in.position() - end + length));
        }
        return new LoggedRecord(batch.baseOffset() + delta, timestamp, key, value, headers);
    }

    private List<LoggedRecord.Header> readHeaders() throws DamagedLogException {
        int count = readVarint();
        if (count < 0 || count > in.remaining() / 2) {
            throw damaged("a record has an impossible number of headers: record=" + read + ", headers=" + count);
        }
        List<LoggedRecord.Header> headers = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            ByteBuffer key = readBytes();
            if (key == null) {
                throw damaged("a header has no key: record=" + read + ", header=" + i);
            }
            headers.add(
                    new LoggedRecord.Header(StandardCharsets.UTF_8.decode(key).toString(), readBytes()));
        }
        return headers;
    }

    private @Nullable ByteBuffer readBytes() throws DamagedLogException {
        int length = readVarint();
        if (length < 0) {
            return null;
        }
        if (length > in.remaining()) {
            throw damaged("a field ends behind its batch: record=" + read + ", length=" + length);
        }
        ByteBuffer bytes = in.slice(in.position(), length).asReadOnlyBuffer();
        in.position(in.position() + length);
        return bytes;
    }

    private int readVarint() throws DamagedLogException {
        return (int) readZigZag(VARINT_SHIFT_MAX);
    }

    private long readVarlong() throws DamagedLogException {
        return readZigZag(VARLONG_SHIFT_MAX);
    }

    private long readZigZag(int shiftMax) throws DamagedLogException {
        long raw = 0;
        for (int shift = 0; shift <= shiftMax; shift += 7) {
            byte next = in.get();
            raw |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return (raw >>> 1) ^ -(raw & 1);
            }
        }
        throw damaged("a variable-length number does not end: record=" + read);
    }

    private DamagedLogException damaged(String what) {
        return new DamagedLogException(
                what + ", baseOffset=" + batch.baseOffset() + ", recordCount=" + batch.recordCount(),
                batch.file(),
                batch.position());
    }
}
