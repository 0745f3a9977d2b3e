package io.tidemark.wire;

/** What the side that connected wants to be, said in its Hello. */
public enum Role {
    /** Produces, consumes and administers. */
    CLIENT(0),
    /** A broker that fetches from a leader's lane. */
    FOLLOWER(1),
    /** The controller, which sends state records. */
    CONTROLLER(2),
    /** Only asks who answers on this port, or whether it has found another process dead, then leaves. */
    PROBE(3);

    private static final Role[] ROLES = values();

    private final int code;

    Role(int code) {
        this.code = code;
    }

    /**
     * Number on the wire.
     *
     * @return 0 to 3
     */
    public int code() {
        return code;
    }

    /**
     * Role of a number.
     *
     * @param code as received
     * @return the role
     * @throws WireFormatException if no role has this number
     */
    public static Role of(int code) {
        if (code < 0 || code >= ROLES.length) {
            throw new WireFormatException(
                    "unknown role: message=Hello, field=role, value=" + code + ", allowed=0.." + (ROLES.length - 1));
        }
        return ROLES[code];
    }
}
