package io.tidemark.log;

import java.io.IOException;
import java.util.List;

/** What a log asks of the store that it lies in. Any thread. */
interface LogOwner {
    /**
     * Lowers the durable recovery point of a log before bytes below it may change.
     *
     * @param partition names the log
     * @param offset greatest offset that may still be believed
     * @throws IOException when it may not be durable
     */
    void lowerRecoveryPoint(TopicPartition partition, long offset) throws IOException;

    /**
     * Lowers the durable log start of a log that is truncated.
     *
     * @param partition names the log
     * @param endOffset new end of the log; nothing happens unless the noted start is above it
     * @param startOffset new start
     * @throws IOException when it may not be durable
     */
    void lowerLogStart(TopicPartition partition, long endOffset, long startOffset) throws IOException;

    /**
     * Raises the durable log starts of logs before anything below them is deleted. A log that was truncated since the
     * change was decided is left out.
     *
     * @param changes new starts
     * @throws IOException when they may not be durable
     */
    void raiseLogStarts(List<LogStartChange> changes) throws IOException;

    /**
     * Says that a log has something to do for its owner.
     *
     * @param log whose owner is to be told
     */
    void ownerWork(Log log);

    /**
     * Says that a log is about to map its active segment: the caller does what is due for the other logs that it owns,
     * which may give mappings back.
     */
    void writerOpens();

    /**
     * Says that a log failed: what was written and not forced may be lost although the machine lives on.
     */
    void failed();

    /**
     * Says that a log was closed.
     *
     * @param log that was closed
     */
    void closed(Log log);
}
