package io.tidemark.client;

/** Takes records in place, without a copy. */
@FunctionalInterface
public interface RecordHandler {
    /**
     * Takes the next record of a partition. If this throws, the record counts as not handed over: the next poll begins
     * with it again.
     *
     * @param record valid during this call only
     */
    void onRecord(RecordView record);
}
