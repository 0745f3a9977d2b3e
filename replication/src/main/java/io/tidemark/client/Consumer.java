package io.tidemark.client;

import java.time.Duration;
import java.util.List;

/**
 * Reads committed records (below the high watermark) of the partitions assigned to it, from their leaders, following
 * the leaders as they change. Fetches ahead of {@link #poll(Duration)} within a bound. Checks the checksum of every
 * batch.
 *
 * <p><b>Threading:</b> one thread at a time; {@link #close()} may come from any thread.
 */
public interface Consumer extends AutoCloseable {
    /**
     * Reads the given partitions from now on, each from its beginning unless {@link #seek} says otherwise. Replaces an
     * earlier assignment; partitions that stay keep their position.
     *
     * @param topic name
     * @param partitions from 0; none given means all
     * @throws UnknownTopicException if no broker knows the topic
     * @throws IllegalArgumentException if the topic has no such partition
     */
    void assign(String topic, int... partitions);

    /**
     * Goes on at an offset.
     *
     * @param topic name
     * @param partition assigned
     * @param offset of the next record wanted, 0 or more
     * @throws IllegalStateException if the partition is not assigned
     */
    void seek(String topic, int partition, long offset);

    /** Goes on at the first record that each assigned partition still keeps. */
    void seekToBeginning();

    /** Goes on after the last record committed in each assigned partition, as of a moment during this call. */
    void seekToEnd();

    /**
     * Waits for records and returns those that are there, copied.
     *
     * @param timeout longest wait; zero returns what is there
     * @return records, per partition in order of their offsets; empty if none came in time
     * @throws OffsetOutOfRangeException if a position is outside the log; seek to go on
     * @throws TidemarkException if a partition cannot be read for a reason that stays
     * @throws ClientClosedException if the consumer or its client is closed
     */
    List<ConsumedRecord> poll(Duration timeout);

    /**
     * As {@link #poll(Duration)}, in place.
     *
     * @param timeout longest wait; zero hands over what is there
     * @param handler takes each record on the calling thread
     * @return number of records handed over
     */
    int poll(Duration timeout, RecordHandler handler);

    /**
     * Offset of the next record that a poll hands over.
     *
     * @param topic name
     * @param partition assigned
     * @return offset; asks the broker if it is not known yet
     * @throws IllegalStateException if the partition is not assigned
     */
    long position(String topic, int partition);

    /** Stops fetching and gives back memory. Idempotent. The client stays open. */
    @Override
    void close();
}
