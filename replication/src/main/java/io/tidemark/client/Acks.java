package io.tidemark.client;

/** When an append counts as done for its producer. */
public enum Acks {
    /** When it was handed to the network. The broker does not answer; positions are unknown and loss goes unnoticed. */
    NONE(0),
    /** When the leader has appended it. It is lost if the leader is lost before a follower fetched it. */
    LEADER(1),
    /** When every in-sync replica has it, and there are as many as the topic demands. The default. */
    ALL(-1);

    private final byte code;

    Acks(int code) {
        this.code = (byte) code;
    }

    /**
     * Number on the wire.
     *
     * @return 0, 1 or −1
     */
    public byte code() {
        return code;
    }
}
