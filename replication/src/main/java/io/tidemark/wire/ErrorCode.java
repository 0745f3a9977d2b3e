package io.tidemark.wire;

/**
 * Expected outcomes of a request, as they stand in the replies. Numbers never change their meaning.
 *
 * <p>{@link #retriable()} means that the same request may succeed later, perhaps at another broker after a refresh of
 * the metadata. It says nothing about whether a retry is safe: that is the sequence numbers' task.
 */
public enum ErrorCode {
    /** No error. */
    NONE(0, false, "no error"),
    /** The broker knows no such topic or partition. */
    UNKNOWN_TOPIC(1, true, "the broker knows no such topic or partition"),
    /** The broker does not lead the partition (any more). */
    NOT_LEADER(2, true, "the broker does not lead the partition (any more)"),
    /** The leader epoch in the request is over. */
    STALE_EPOCH(3, true, "the leader epoch in the request is over"),
    /** The leader epoch in the request is newer than the one the broker knows. */
    UNKNOWN_EPOCH(4, true, "the leader epoch in the request is newer than the one the broker knows"),
    /** The sender is no replica of the partition in this incarnation. */
    NOT_REPLICA(5, false, "the sender is no replica of the partition in this incarnation"),
    /** The sender's log left the leader's; it must truncate first. */
    DIVERGED(6, false, "the sender's log left the leader's; it must truncate first"),
    /** The offset is not between log start and high watermark. */
    OFFSET_OUT_OF_RANGE(7, false, "the offset is not between log start and high watermark"),
    /** The new leader does not know the high watermark yet. */
    OFFSET_NOT_AVAILABLE(8, true, "the new leader does not know the high watermark yet"),
    /** Fewer replicas are in sync than the topic demands; nothing was appended. */
    NOT_ENOUGH_REPLICAS(9, true, "fewer replicas are in sync than the topic demands; nothing was appended"),
    /** The time allowed has passed; the outcome is unknown. */
    REQUEST_TIMED_OUT(10, true, "the time allowed has passed; the outcome is unknown"),
    /** The checksum of a batch does not match its bytes. */
    CORRUPT_BATCH(11, true, "the checksum of a batch does not match its bytes"),
    /** The batch is larger than the broker accepts. */
    BATCH_TOO_LARGE(12, false, "the batch is larger than the broker accepts"),
    /** A sequence of the producer is missing before this batch. */
    OUT_OF_ORDER_SEQUENCE(13, false, "a sequence of the producer is missing before this batch"),
    /** The broker knows no earlier batch of this producer. */
    UNKNOWN_PRODUCER(14, false, "the broker knows no earlier batch of this producer"),
    /** The batch is stored already, but its offset is not known any more. */
    DUPLICATE_SEQUENCE(15, false, "the batch is stored already, but its offset is not known any more"),
    /** A newer epoch of the producer id is in use. */
    STALE_PRODUCER_EPOCH(16, false, "a newer epoch of the producer id is in use"),
    /** The broker is not the controller (any more). */
    NOT_CONTROLLER(17, true, "the broker is not the controller (any more)"),
    /** A newer controller is in office. */
    STALE_CONTROLLER_EPOCH(18, false, "a newer controller is in office"),
    /** A topic of this name exists. */
    TOPIC_EXISTS(19, false, "a topic of this name exists"),
    /** A value in the request is not allowed. */
    INVALID_REQUEST(20, false, "a value in the request is not allowed"),
    /** The fetch session is out of step; it must start anew with a full request. */
    INVALID_FETCH_SESSION(21, true, "the fetch session is out of step; it must start anew with a full request"),
    /** The two sides speak different protocol versions. */
    UNSUPPORTED_VERSION(22, false, "the two sides speak different protocol versions"),
    /** The broker belongs to another cluster. */
    WRONG_CLUSTER(23, false, "the broker belongs to another cluster"),
    /** The broker is busy; nothing was done. */
    BACK_PRESSURE(24, true, "the broker is busy; nothing was done"),
    /** The storage of the partition failed on this broker. */
    STORAGE_ERROR(25, true, "the storage of the partition failed on this broker"),
    /** The broker lost its coordination session and acknowledges nothing. */
    COORDINATION_LOST(26, true, "the broker lost its coordination session and acknowledges nothing"),
    /** The broker is closing. */
    BROKER_CLOSING(27, true, "the broker is closing"),
    /** The broker failed in a way that it did not expect; its log tells more. */
    INTERNAL(28, false, "the broker failed in a way that it did not expect; its log tells more"),
    /** The change is stored, but not every broker with a new replica has answered. */
    REPLICAS_NOT_READY(29, false, "the change is stored, but not every broker with a new replica has answered"),
    /** The cluster is already as the request wants it; nothing was changed. */
    NO_CHANGE(30, false, "the cluster is already as the request wants it; nothing was changed");

    private static final ErrorCode[] CODES = values();

    private final short code;
    private final boolean retriable;
    private final String text;

    ErrorCode(int code, boolean retriable, String text) {
        this.code = (short) code;
        this.retriable = retriable;
        this.text = text;
    }

    /**
     * Number on the wire.
     *
     * @return 0 for {@link #NONE}, positive for errors
     */
    public short code() {
        return code;
    }

    /**
     * Whether the same request may succeed later.
     *
     * @return false for {@link #NONE} and for errors that stay
     */
    public boolean retriable() {
        return retriable;
    }

    /**
     * What the code means, as half a sentence for messages to people.
     *
     * @return text without a full stop
     */
    public String text() {
        return text;
    }

    /**
     * Code of a number.
     *
     * @param code as received
     * @return the code; {@link #INTERNAL} for a number that this version does not know, which a newer broker may send
     */
    public static ErrorCode of(short code) {
        return code >= 0 && code < CODES.length ? CODES[code] : INTERNAL;
    }
}
