package io.tidemark.log.retention;

/**
 * What a log's owner wants to be kept.
 *
 * @param ageMaxMs how long a record is kept after it was stored, {@link Long#MAX_VALUE} for ever
 * @param bytesMax how many bytes are kept at least when there are more, {@link Long#MAX_VALUE} for no limit
 */
public record RetentionRules(long ageMaxMs, long bytesMax) {
    /** Nothing is deleted, whatever its age and size. */
    public static final RetentionRules KEEP_ALL = new RetentionRules(Long.MAX_VALUE, Long.MAX_VALUE);
}
