package io.tidemark.partition;

/**
 * One life of one broker as a holder of a partition: an entry of an ISR or ELR, or a leader.
 *
 * <p>Every start of a broker process takes a new, higher incarnation. An entry counts for exactly this incarnation;
 * what a restarted process holds is judged anew.
 *
 * <p>Source: KIP-903 (broker epochs in the ISR).
 *
 * @param broker the broker's id, -1 for {@link #NONE}
 * @param incarnation the registration number of the process, -1 for {@link #NONE}
 */
public record Replica(int broker, long incarnation) {
    /** Nobody. */
    public static final Replica NONE = new Replica(-1, -1);

    /**
     * Checks the numbers.
     *
     * @param broker the broker's id, at least 0 unless both are -1
     * @param incarnation the registration number, at least 0 unless both are -1
     * @throws IllegalArgumentException if a number is negative and the pair is not {@link #NONE}
     */
    public Replica {
        boolean none = broker == -1 && incarnation == -1;
        if (!none && (broker < 0 || incarnation < 0)) {
            throw new IllegalArgumentException(
                    "broker and incarnation must not be negative: broker=" + broker + ", incarnation=" + incarnation);
        }
    }

    /**
     * Tells whether this names nobody.
     *
     * @return true for {@link #NONE}
     */
    public boolean isNone() {
        return broker < 0;
    }

    @Override
    public String toString() {
        return isNone() ? "none" : broker + "@" + incarnation;
    }
}
