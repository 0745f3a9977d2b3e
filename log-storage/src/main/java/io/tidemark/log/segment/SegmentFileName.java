package io.tidemark.log.segment;

/**
 * Names of the files of a segment: its base offset with 20 digits and a suffix, as Kafka names them. The suffixes
 * {@code .truncated}, {@code .deleted} and {@code .tmp} stand for files that no reader of closed folders meets, and
 * {@code .summary} for one that Kafka ignores.
 */
public final class SegmentFileName {
    /** Batches. */
    public static final String LOG = ".log";
    /** Offset index. */
    public static final String INDEX = ".index";
    /** Time index. */
    public static final String TIME_INDEX = ".timeindex";
    /** What proves the time index. */
    public static final String SUMMARY = ".summary";
    /** Where a segment ends whose dead tail has not been cut yet. */
    public static final String TRUNCATED = ".truncated";
    /** Appended to the name of a file that will be deleted. */
    public static final String DELETED = ".deleted";
    /** Appended to the name of a file that is being written. */
    public static final String TEMPORARY = ".tmp";

    private static final int DIGITS = 20;

    private SegmentFileName() {}

    /**
     * The name of a file of a segment.
     *
     * @param baseOffset of the segment, 0 or more
     * @param suffix one of the constants
     * @return digits and suffix
     */
    public static String of(long baseOffset, String suffix) {
        final String digits = Long.toString(baseOffset);
        return "0".repeat(DIGITS - digits.length()) + digits + suffix;
    }

    /**
     * The base offset that a file's name states.
     *
     * @param name of a file
     * @param suffix that it must have
     * @return the offset, -1 when the name is not one of a segment's file with this suffix
     */
    public static long baseOffset(String name, String suffix) {
        if (name.length() != DIGITS + suffix.length() || !name.endsWith(suffix)) {
            return -1;
        }
        long value = 0;
        for (int i = 0; i < DIGITS; i++) {
            final char c = name.charAt(i);
            if (c < '0' || c > '9' || value > (Long.MAX_VALUE - (c - '0')) / 10) {
                return -1;
            }
            value = value * 10 + (c - '0');
        }
        return value;
    }
}
