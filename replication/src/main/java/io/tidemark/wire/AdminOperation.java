package io.tidemark.wire;

import java.util.Optional;

/** What an {@link AdminCommand} asks for. Numbers never change their meaning. */
public enum AdminOperation {
    /** Create a topic. */
    CREATE_TOPIC(1),
    /** Give a topic more partitions. */
    ADD_PARTITIONS(2),
    /** Delete a topic. */
    DELETE_TOPIC(3),
    /** Change the configuration of a topic. */
    ALTER_TOPIC(4),
    /** Move the replicas of partitions to other brokers. */
    REASSIGN(10),
    /** End reassignments, and keep the replicas of before. */
    CANCEL_REASSIGNMENT(11),
    /** Have preferred leaders lead. */
    ELECT_PREFERRED(12),
    /** Have replicas lead that may lack committed records. */
    ELECT_UNCLEAN(13);

    private static final AdminOperation[] OPERATIONS = values();

    private final short code;

    AdminOperation(int code) {
        this.code = (short) code;
    }

    /**
     * Number on the wire.
     *
     * @return 1 or more
     */
    public short code() {
        return code;
    }

    /**
     * Operation of a number.
     *
     * @param code as received
     * @return the operation; empty for a number that this version does not know, which a newer client may send
     */
    public static Optional<AdminOperation> of(short code) {
        for (AdminOperation operation : OPERATIONS) {
            if (operation.code == code) {
                return Optional.of(operation);
            }
        }
        return Optional.empty();
    }
}
