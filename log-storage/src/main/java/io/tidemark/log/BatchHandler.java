package io.tidemark.log;

/** Takes batches one after the other. */
@FunctionalInterface
public interface BatchHandler {
    /**
     * Called for each batch in the order of the offsets.
     *
     * @param batch a flyweight that is valid during the call only
     */
    void onBatch(RecordBatch batch);
}
