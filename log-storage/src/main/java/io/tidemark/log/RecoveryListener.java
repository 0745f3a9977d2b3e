package io.tidemark.log;

/** Is told how far {@link LogStore#recoverAll} has come. Called by the executor's threads, by one at a time. */
public interface RecoveryListener {
    /**
     * A log was recovered.
     *
     * @param partition names the log
     * @param report what had to be done
     * @param logEndOffset end of the log
     * @param done number of logs done, this one included
     * @param total number of logs to be done
     */
    void recovered(TopicPartition partition, RecoveryReport report, long logEndOffset, int done, int total);

    /**
     * A log could not be recovered; it was left as it was.
     *
     * @param partition names the log
     * @param failure why
     * @param done number of logs done, this one included
     * @param total number of logs to be done
     */
    void failed(TopicPartition partition, StorageException failure, int done, int total);
}
