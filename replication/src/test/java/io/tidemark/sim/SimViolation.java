package io.tidemark.sim;

/** An invariant does not hold. Its first word is the number of the invariant, such as {@code I-03}. */
final class SimViolation extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String invariant;

    SimViolation(String invariant, String text) {
        super(invariant + ": " + text);
        this.invariant = invariant;
    }

    SimViolation(String invariant, String text, Throwable cause) {
        super(invariant + ": " + text, cause);
        this.invariant = invariant;
    }

    String invariant() {
        return invariant;
    }
}
