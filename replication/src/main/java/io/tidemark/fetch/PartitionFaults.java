package io.tidemark.fetch;

/**
 * Is told of logs that are used and of logs that failed, so that their partitions are fenced and the others go on.
 */
public interface PartitionFaults {
    /**
     * A log failed. The partition is fenced after the event that is being handled, not during this call.
     *
     * @param partition whose log it is
     * @param cause of the failure
     */
    void onFault(ServedPartition partition, Throwable cause);

    /**
     * Memory behind a log is about to be used. Until the end of this batch of work an error of mapped memory, which
     * the virtual machine may report late, may stem from this log.
     *
     * @param partition whose log it is
     */
    void onTouch(ServedPartition partition);
}
