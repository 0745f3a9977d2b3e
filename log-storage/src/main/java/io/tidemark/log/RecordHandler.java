package io.tidemark.log;

/** Takes records in the order of their offsets. */
@FunctionalInterface
public interface RecordHandler {
    /**
     * Takes a record.
     *
     * @param record on which the cursor stands, in place; to be looked at during the call only
     */
    void onRecord(RecordCursor record);
}
