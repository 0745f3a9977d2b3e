package io.tidemark.log;

import java.io.IOException;

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
     * The wall clock.
     *
     * @return milliseconds since the epoch of Unix
     */
    long nowMs();

    /**
     * Says that a log was closed.
     *
     * @param log that was closed
     */
    void closed(Log log);
}
