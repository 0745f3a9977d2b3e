package io.tidemark.log;

/**
 * Names a log: a topic and the number of a partition of it. The name stands in the name of a folder, so it is checked.
 *
 * @param topic 1 to 249 of letters, digits, dot, underscore and hyphen; neither "." nor ".."
 * @param partition 0 or more
 */
public record TopicPartition(String topic, int partition) {
    /** Most characters of a topic's name; with a partition and a suffix it still fits a file name. */
    public static final int TOPIC_LENGTH_MAX = 249;

    /**
     * Checks both parts.
     *
     * @param topic see the record
     * @param partition see the record
     * @throws IllegalArgumentException when the topic's name or the partition is not valid
     */
    public TopicPartition {
        if (!isValidTopic(topic)) {
            throw new IllegalArgumentException("invalid topic name: topic='" + topic + "'; use 1 to " + TOPIC_LENGTH_MAX
                    + " letters, digits, '.', '_' and '-', but neither '.' nor '..'");
        }
        if (partition < 0) {
            throw new IllegalArgumentException(
                    "invalid partition: topic=" + topic + ", partition=" + partition + "; partitions count from 0");
        }
    }

    /**
     * Whether a text may name a topic.
     *
     * @param topic the text
     * @return false when the record's constructor would refuse it
     */
    public static boolean isValidTopic(String topic) {
        if (topic.isEmpty() || topic.length() > TOPIC_LENGTH_MAX || topic.equals(".") || topic.equals("..")) {
            return false;
        }
        for (int i = 0; i < topic.length(); i++) {
            final char c = topic.charAt(i);
            final boolean letterOrDigit = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            if (!letterOrDigit && c != '.' && c != '_' && c != '-') {
                return false;
            }
        }
        return true;
    }

    /**
     * The name of the folder that holds the log.
     *
     * @return topic, hyphen, partition
     */
    @Override
    public String toString() {
        return topic + "-" + partition;
    }
}
