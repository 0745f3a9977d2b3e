package io.tidemark.wire;

/** Keys of the settings in an {@link AdminCommand}. They never change their meaning. */
public final class AdminSettings {
    /** Number of partitions that the topic is to have. */
    public static final String PARTITIONS = "partitions";
    /** Copies of each partition. */
    public static final String REPLICATION_FACTOR = "replication.factor";
    /** Wanted minimum of in-sync replicas. */
    public static final String MIN_ISR = "min.isr";
    /** Rule by which brokers are chosen: SPREAD or SEQUENTIAL. */
    public static final String PLACEMENT = "placement";

    /** Id that the topic must have. */
    public static final String TOPIC_ID = "topic.id";

    private AdminSettings() {}
}
