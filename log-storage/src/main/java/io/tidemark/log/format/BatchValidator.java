package io.tidemark.log.format;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;

/**
 * Decides whether bytes are a record batch. The cheap checks come first, so that no length or count is used before it
 * was checked. Nothing is thrown and nothing allocated: the answer is a {@link BatchDefect}.
 */
public final class BatchValidator {
    private BatchValidator() {}

    /**
     * Checks everything that the header says about itself, but neither the checksum nor the records.
     *
     * @param buffer that holds the bytes
     * @param index where the batch should begin
     * @param available number of bytes from {@code index} on
     * @param batchBytesMax greatest allowed size
     * @return {@link BatchDefect#NONE} or the first defect found; {@link BatchDefect#EMPTY} for a zeroed place
     */
    public static BatchDefect checkHeader(DirectBuffer buffer, int index, int available, int batchBytesMax) {
        if (available < BatchDescriptor.LENGTH_OVERHEAD) {
            return BatchDefect.SHORT_HEADER;
        }
        final long size = BatchDescriptor.sizeInBytes(buffer, index);
        if (size == BatchDescriptor.LENGTH_OVERHEAD) {
            return BatchDefect.EMPTY;
        }
        if (size < BatchDescriptor.HEADER_LENGTH) {
            return BatchDefect.BAD_LENGTH;
        }
        if (available > BatchDescriptor.MAGIC
                && buffer.getByte(index + BatchDescriptor.MAGIC) != BatchDescriptor.MAGIC_VALUE) {
            return BatchDefect.BAD_MAGIC;
        }
        if (size > batchBytesMax) {
            return BatchDefect.TOO_LARGE;
        }
        if (available < BatchDescriptor.HEADER_LENGTH) {
            return BatchDefect.SHORT_HEADER;
        }
        return size > available ? BatchDefect.BAD_LENGTH : checkFields(buffer, index);
    }

    private static BatchDefect checkFields(DirectBuffer buffer, int index) {
        final int attributes = BatchDescriptor.attributes(buffer, index);
        if ((attributes & BatchDescriptor.COMPRESSION_MASK) > BatchDescriptor.COMPRESSION_MAX) {
            return BatchDefect.BAD_ATTRIBUTES;
        }
        final int count = BatchDescriptor.recordCount(buffer, index);
        final int lastDelta = buffer.getInt(index + BatchDescriptor.LAST_OFFSET_DELTA, BIG_ENDIAN);
        if (count < 0 || lastDelta < 0 || count > lastDelta + 1L) {
            return BatchDefect.BAD_COUNT;
        }
        return checkProducer(buffer, index);
    }

    private static BatchDefect checkProducer(DirectBuffer buffer, int index) {
        final long producerId = buffer.getLong(index + BatchDescriptor.PRODUCER_ID, BIG_ENDIAN);
        final short producerEpoch = buffer.getShort(index + BatchDescriptor.PRODUCER_EPOCH, BIG_ENDIAN);
        final int sequence = buffer.getInt(index + BatchDescriptor.BASE_SEQUENCE, BIG_ENDIAN);
        if (producerId < -1 || producerEpoch < -1 || sequence < -1) {
            return BatchDefect.BAD_PRODUCER;
        }
        final boolean named = producerId >= 0;
        // A control batch has a producer and an epoch, but no sequence.
        return named == (producerEpoch >= 0) && (named || sequence < 0) ? BatchDefect.NONE : BatchDefect.BAD_PRODUCER;
    }

    /**
     * Checks offset and epoch of a batch whose header is good.
     *
     * @param buffer that holds the bytes
     * @param index where the batch begins
     * @return {@link BatchDefect#NONE} or the first defect found
     */
    public static BatchDefect checkPlace(DirectBuffer buffer, int index) {
        final long baseOffset = BatchDescriptor.baseOffset(buffer, index);
        final long lastOffset = BatchDescriptor.lastOffset(buffer, index);
        if (baseOffset < 0 || lastOffset < baseOffset || lastOffset == Long.MAX_VALUE) {
            return BatchDefect.BAD_OFFSET;
        }
        return BatchDescriptor.leaderEpoch(buffer, index) < 0 ? BatchDefect.BAD_EPOCH : BatchDefect.NONE;
    }

    /**
     * Checks the checksum of a batch whose header is good.
     *
     * @param buffer that holds the bytes, not a mapped file
     * @param index where the batch begins
     * @param size of the batch in bytes
     * @param checksum to compute with
     * @return {@link BatchDefect#NONE} or {@link BatchDefect#BAD_CRC}
     */
    public static BatchDefect checkCrc(DirectBuffer buffer, int index, int size, BatchChecksum checksum) {
        final int from = BatchDescriptor.ATTRIBUTES;
        final int actual = checksum.sum(buffer, index + from, size - from);
        return actual == buffer.getInt(index + BatchDescriptor.CRC, BIG_ENDIAN)
                ? BatchDefect.NONE
                : BatchDefect.BAD_CRC;
    }

    /**
     * Checks what the header of a batch that nobody has appended yet says about its records: their offsets are
     * consecutive, and their time is not that of an append.
     *
     * @param buffer that holds the bytes
     * @param index where the batch begins
     * @return {@link BatchDefect#NONE} or the first defect found
     */
    public static BatchDefect checkNew(DirectBuffer buffer, int index) {
        final int count = BatchDescriptor.recordCount(buffer, index);
        if (count < 1 || buffer.getInt(index + BatchDescriptor.LAST_OFFSET_DELTA, BIG_ENDIAN) != count - 1) {
            return BatchDefect.BAD_COUNT;
        }
        return BatchDescriptor.isAppendTime(buffer, index) ? BatchDefect.BAD_TIMESTAMP_TYPE : BatchDefect.NONE;
    }

    /**
     * Walks the records of a batch that {@link #checkNew} has passed: each must fit, its offset delta must be its
     * number, the greatest timestamp must be the one that the header states, and together they must fill their place.
     *
     * @param batch that holds the header
     * @param index where the batch begins
     * @param records that holds the uncompressed records: the same buffer, or what came out of a codec
     * @param from where the first record begins
     * @param end first index after the last record
     * @return {@link BatchDefect#NONE} or the first defect found
     */
    public static BatchDefect checkRecords(DirectBuffer batch, int index, DirectBuffer records, int from, int end) {
        final int count = BatchDescriptor.recordCount(batch, index);
        final long baseTimestamp = batch.getLong(index + BatchDescriptor.BASE_TIMESTAMP, BIG_ENDIAN);
        long maxTimestamp = BatchDescriptor.NO_TIMESTAMP;
        int at = from;
        for (int number = 0; number < count; number++) {
            final int next = RecordDescriptor.endOfRecord(records, at, end, number, number);
            if (next < 0) {
                return RecordDescriptor.defectOf(next);
            }
            final long timestamp = baseTimestamp + RecordDescriptor.timestampDelta(records, at, next);
            if (timestamp < BatchDescriptor.NO_TIMESTAMP) {
                return BatchDefect.BAD_TIMESTAMP;
            }
            maxTimestamp = Math.max(maxTimestamp, timestamp);
            at = next;
        }
        if (at != end) {
            return BatchDefect.LEFT_IN_BATCH;
        }
        return maxTimestamp == BatchDescriptor.maxTimestamp(batch, index)
                ? BatchDefect.NONE
                : BatchDefect.BAD_TIMESTAMP;
    }
}
