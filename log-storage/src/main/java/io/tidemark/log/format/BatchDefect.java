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
    /** A record does not fit its length, its offset delta is not its number, or bytes are left over. */
    BAD_RECORDS("records do not fill the batch as their lengths and count say", false);

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
