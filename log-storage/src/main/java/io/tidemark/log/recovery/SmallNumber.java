package io.tidemark.log.recovery;

/** Parses numbers of files that may hold anything. */
final class SmallNumber {
    private SmallNumber() {}

    /**
     * Parses a number that is not negative.
     *
     * @param text digits
     * @return the number, -1 when the text is none
     */
    static long parse(String text) {
        if (text.isEmpty() || text.length() > 19) {
            return -1;
        }
        long value = 0;
        for (int i = 0; i < text.length(); i++) {
            final char c = text.charAt(i);
            if (c < '0' || c > '9' || value > (Long.MAX_VALUE - (c - '0')) / 10) {
                return -1;
            }
            value = value * 10 + (c - '0');
        }
        return value;
    }
}
