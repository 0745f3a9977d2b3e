package io.tidemark.client;

import io.tidemark.log.BatchBuilder;
import io.tidemark.wire.ErrorCode;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One batch of records on its way to a partition, and who waits for them. Used again and again.
 *
 * <p><b>Threading:</b> filled under the lock of its {@link PartitionQueue}; from the moment that it is taken from
 * there it belongs to the client's thread.
 */
final class ProducerBatch {
    /** Where a batch stands after it was taken from its queue. */
    enum State {
        /** It must be sent, for the first time or again. */
        TO_SEND,
        /** It was sent and no reply has come. */
        IN_FLIGHT,
        /** Its outcome is settled. */
        DONE
    }

    private static final Logger LOG = LoggerFactory.getLogger(ProducerBatch.class);
    private static final int COMPLETIONS_MIN = 16;

    private final ByteBuffer memory;
    private final BatchBuilder builder;
    private Object[] completions = new Object[COMPLETIONS_MIN];
    private long createdNs;
    private long deadlineNs;
    private State state = State.TO_SEND;
    private long attempt;
    private boolean sent;
    private boolean maybeStored;
    private boolean built;
    private int baseSequence;
    private long retryAtNs;
    private ErrorCode lastCode = ErrorCode.NONE;
    private String lastFailure = "";
    private long baseOffset;
    private @Nullable TidemarkException failure;

    /**
     * An empty batch.
     *
     * @param capacityBytes largest size of it
     */
    ProducerBatch(int capacityBytes) {
        memory = ByteBuffer.allocateDirect(capacityBytes);
        builder = new BatchBuilder(memory);
    }

    /** Gives the memory back to the system; the batch must not be touched any more. */
    void free() {
        BufferUtil.free(memory);
    }

    /**
     * Begins to be filled.
     *
     * @param nowNs now
     * @param deadline when its records fail
     */
    void begin(long nowNs, long deadline) {
        builder.reset();
        createdNs = nowNs;
        deadlineNs = deadline;
        state = State.TO_SEND;
        sent = false;
        maybeStored = false;
        built = false;
        baseSequence = -1;
        retryAtNs = nowNs;
        lastCode = ErrorCode.NONE;
        lastFailure = "";
        baseOffset = RecordPosition.NO_OFFSET;
        failure = null;
    }

    /**
     * Whether one more record fits.
     *
     * @param keyLength of the key, −1 for none
     * @param valueLength of the value, −1 for none
     * @return false if it does not
     */
    boolean hasRoomFor(int keyLength, int valueLength) {
        return builder.hasRoomFor(keyLength, valueLength);
    }

    /**
     * Adds a record that fits.
     *
     * @param timestamp of it
     * @param key or null
     * @param value or null
     * @param completion a {@link CompletableFuture} or a {@link SendCallback}
     */
    void append(long timestamp, byte @Nullable [] key, byte @Nullable [] value, Object completion) {
        final int index = builder.recordCount();
        builder.append(timestamp, key, value);
        if (index == completions.length) {
            completions = Arrays.copyOf(completions, 2 * index);
        }
        completions[index] = completion;
    }

    /**
     * Number of records.
     *
     * @return 0 or more
     */
    int recordCount() {
        return builder.recordCount();
    }

    /**
     * When its first record came.
     *
     * @return by the client's clock
     */
    long createdNs() {
        return createdNs;
    }

    /**
     * When its records fail.
     *
     * @return by the client's clock
     */
    long deadlineNs() {
        return deadlineNs;
    }

    /**
     * Where it stands.
     *
     * @return the state
     */
    State state() {
        return state;
    }

    /**
     * Whether it may be stored though no reply said so.
     *
     * @return true after a send whose outcome is open
     */
    boolean maybeStored() {
        return maybeStored;
    }

    /**
     * Whether it was ever sent.
     *
     * @return false if the broker cannot know of it
     */
    boolean wasSent() {
        return sent;
    }

    /**
     * When it may be sent (again).
     *
     * @return by the client's clock
     */
    long retryAtNs() {
        return retryAtNs;
    }

    /**
     * What the broker said last.
     *
     * @return NONE if it was never answered
     */
    ErrorCode lastCode() {
        return lastCode;
    }

    /**
     * Why it was not stored so far, for messages.
     *
     * @return maybe empty
     */
    String lastFailure() {
        return lastFailure;
    }

    /**
     * Sequence number of the first record.
     *
     * @return −1 before {@link #stamp}
     */
    int baseSequence() {
        return baseSequence;
    }

    /**
     * Gives it its place in the order of a producer.
     *
     * @param producerId id, −1 for none
     * @param producerEpoch epoch, −1 for none
     * @param sequence of the first record, −1 for none
     */
    void stamp(long producerId, short producerEpoch, int sequence) {
        baseSequence = sequence;
        if (built) {
            builder.restamp(producerId, producerEpoch, sequence);
        } else {
            builder.build(producerId, producerEpoch, sequence);
            built = true;
        }
    }

    /**
     * The bytes, from index 0.
     *
     * @return borrowed
     */
    DirectBuffer buffer() {
        return builder.buffer();
    }

    /**
     * Size of the bytes.
     *
     * @return bytes
     */
    int length() {
        return builder.length();
    }

    /**
     * Notes that it is on its way.
     *
     * @return number of the attempt, by which its reply is known
     */
    long markSent() {
        state = State.IN_FLIGHT;
        sent = true;
        return ++attempt;
    }

    /**
     * Whether a reply belongs to the attempt that is under way.
     *
     * @param number of the attempt that was answered
     * @return false if the batch was settled, or used again, meanwhile
     */
    boolean isAwaiting(long number) {
        return state == State.IN_FLIGHT && attempt == number;
    }

    /**
     * Wants to be sent again.
     *
     * @param code what the broker said
     * @param why for messages
     * @param stored whether this attempt may have stored it
     * @param atNs not before
     */
    void retry(ErrorCode code, String why, boolean stored, long atNs) {
        state = State.TO_SEND;
        lastCode = code;
        lastFailure = why;
        maybeStored |= stored;
        retryAtNs = atNs;
    }

    /** Notes that a broker which knows the producer has said that it is not stored. */
    void clearMaybeStored() {
        maybeStored = false;
    }

    /**
     * Settles it: stored.
     *
     * @param offset of the first record, −1 if not known
     */
    void succeed(long offset) {
        state = State.DONE;
        baseOffset = offset;
    }

    /**
     * Settles it: failed.
     *
     * @param why what its senders hear
     */
    void fail(TidemarkException why) {
        state = State.DONE;
        failure = why;
    }

    /**
     * Tells everybody who waits for its records. Called with no lock held.
     *
     * @param topic name
     * @param partition from 0
     */
    void complete(String topic, int partition) {
        // A late reply must not find the batch in a new life.
        attempt++;
        final int count = builder.recordCount();
        for (int i = 0; i < count; i++) {
            final Object completion = completions[i];
            completions[i] = "";
            final RecordPosition position = failure != null
                    ? null
                    : new RecordPosition(topic, partition, baseOffset < 0 ? baseOffset : baseOffset + i);
            tell(completion, position, failure);
        }
    }

    @SuppressWarnings("unchecked")
    private static void tell(
            Object completion, @Nullable RecordPosition position, @Nullable TidemarkException failure) {
        if (completion instanceof SendCallback callback) {
            try {
                callback.onDone(position, failure);
            } catch (RuntimeException e) {
                LOG.warn("a send callback threw; the client goes on", e);
            }
        } else if (position != null) {
            ((CompletableFuture<RecordPosition>) completion).complete(position);
        } else if (failure != null) {
            ((CompletableFuture<RecordPosition>) completion).completeExceptionally(failure);
        }
    }
}
