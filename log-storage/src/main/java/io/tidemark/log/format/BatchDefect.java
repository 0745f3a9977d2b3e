package io.tidemark.log.format;

/** What is wrong with bytes that should be a record batch; {@link #NONE} when nothing is. */
public enum BatchDefect {
    /** Nothing is wrong. */
    NONE("no defect", false),
    /** The place holds zeros where a header should be: the unused tail of a file. */
    EMPTY("record size is 0", false),
    /** Fewer bytes are there than a header takes. */
    SHORT_HEADER("fewer bytes than a batch header", false),
    /** The length field is smaller than a header, or larger than the bytes that are there. */
    BAD_LENGTH("batch length does not fit the bytes given", false),
    /** The batch is larger than the limit. */
    TOO_LARGE("batch is larger than the limit", false),
    /** The version is not 2. */
    BAD_MAGIC("magic is not 2; only the batch format v2 is supported", false),
    /** The checksum does not match. */
    BAD_CRC("batch checksum mismatch", true),
    /** The attributes name an unknown codec. */
    BAD_ATTRIBUTES("attributes name an unknown compression codec", false),
    /** Record count and last offset delta contradict each other or are negative. */
    BAD_COUNT("record count and last offset delta contradict each other", false),
    /** The offset is negative or runs over the greatest offset. */
    BAD_OFFSET("base offset is negative or too large", false),
    /** The epoch is negative. */
    BAD_EPOCH("leader epoch is negative", false),
    /** Only one of producer id, epoch and sequence is set. */
    BAD_PRODUCER("producer id, epoch and sequence contradict each other", false),
    /** A timestamp is below -1, or the greatest one is not that of the records. */
    BAD_TIMESTAMP("field=maxTimestamp is not the greatest timestamp of the records, or one is below -1", false),
    /** The batch says that its time is that of an append, before anybody appended it. */
    BAD_TIMESTAMP_TYPE("field=attributes claims the append time, which only a leader sets", false),
    /** The length of a record does not fit. */
    BAD_RECORD_LENGTH("field=length of a record does not fit the batch", false),
    /** The timestamp of a record has no end. */
    BAD_RECORD_TIMESTAMP("field=timestampDelta of a record is no number", false),
    /** The offset of a record is not its place in the batch. */
    BAD_RECORD_OFFSET("field=offsetDelta of a record does not continue the one before", false),
    /** The key of a record does not fit. */
    BAD_RECORD_KEY("field=key of a record does not fit the record", false),
    /** The value of a record does not fit. */
    BAD_RECORD_VALUE("field=value of a record does not fit the record", false),
    /** The headers of a record do not fit. */
    BAD_RECORD_HEADERS("field=headers of a record do not fit the record", false),
    /** A record has bytes after its last field. */
    LEFT_IN_RECORD("bytes are left after the last field of a record", false),
    /** The batch has bytes after its last record. */
    LEFT_IN_BATCH("bytes are left after the last record", false);

    private final String text;
    private final boolean corruption;

    BatchDefect(String text, boolean corruption) {
        this.text = text;
        this.corruption = corruption;
    }

    /**
     * The defect in words, for messages.
     *
     * @return a part of a sentence
     */
    public String text() {
        return text;
    }

    /**
     * Whether the bytes were changed after they were written, as opposed to having been built wrongly.
     *
     * @return true for a checksum mismatch
     */
    public boolean isCorruption() {
        return corruption;
    }
}
