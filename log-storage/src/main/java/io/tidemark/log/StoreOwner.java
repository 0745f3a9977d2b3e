package io.tidemark.log;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** How the logs of a store call back. Any thread. */
final class StoreOwner implements LogOwner {
    private final Map<TopicPartition, Log> logs;
    private final StoreLedger ledger;
    private final OpenWriters writers;
    private volatile Consumer<Log> ownerWorkListener = log -> {};

    /**
     * The callbacks of a store.
     *
     * @param logs that are open; a log that is closed goes from it
     * @param ledger of the store
     * @param writers bounds the open writers
     */
    StoreOwner(Map<TopicPartition, Log> logs, StoreLedger ledger, OpenWriters writers) {
        this.logs = logs;
        this.ledger = ledger;
        this.writers = writers;
    }

    /**
     * Sets who is told that a log has something to do for its owner.
     *
     * @param listener see {@link LogStore#onOwnerWork}
     */
    void onOwnerWork(Consumer<Log> listener) {
        ownerWorkListener = listener;
    }

    @Override
    public void lowerRecoveryPoint(TopicPartition partition, long offset) throws IOException {
        ledger.lowerRecoveryPoint(partition, offset);
    }

    @Override
    public void lowerLogStart(TopicPartition partition, long endOffset, long startOffset) throws IOException {
        ledger.lowerLogStart(partition, endOffset, startOffset);
    }

    @Override
    public void raiseLogStarts(List<LogStartChange> changes) throws IOException {
        ledger.raiseLogStarts(changes);
    }

    @Override
    public void ownerWork(Log log) {
        writers.due(log);
        ownerWorkListener.accept(log);
    }

    @Override
    public void writerOpens() {
        writers.doDueWork();
    }

    @Override
    public void failed() {
        ledger.noteLoss();
    }

    @Override
    public void closed(Log log) {
        logs.remove(log.partition(), log);
        writers.closed(log);
        ledger.logClosed(log);
    }
}
