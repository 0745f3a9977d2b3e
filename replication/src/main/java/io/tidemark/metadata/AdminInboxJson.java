package io.tidemark.metadata;

import com.fasterxml.jackson.core.JsonFactory;
import io.tidemark.controller.PartitionChanges;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * What stands in an inbox, in the form that Kafka's operators know:
 * {@code {"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[4,5,6]}]}}. In elections of preferred
 * leaders there are no replicas, and without {@code partitions} all are meant.
 *
 * @param changes what is wished
 * @param isForAll whether no partitions were named since all are meant
 * @param problems entries that cannot be read, one text for each; the others count nevertheless
 */
public record AdminInboxJson(PartitionChanges changes, boolean isForAll, List<String> problems) {
    private static final JsonFactory FACTORY = new JsonFactory();

    /**
     * Copies the list.
     *
     * @param changes what is wished
     * @param isForAll whether all are meant
     * @param problems entries that cannot be read
     */
    public AdminInboxJson {
        problems = List.copyOf(problems);
    }

    /**
     * Reads reassignments.
     *
     * @param key where they stand, or a file; for messages
     * @param value the text
     * @return what is wished
     * @throws MetadataFormatException if it is no such text as a whole
     */
    public static AdminInboxJson reassignments(String key, byte[] value) {
        JsonFields fields = JsonFields.parse(FACTORY, key, value);
        return read(
                fields,
                PartitionChanges.Kind.REASSIGN,
                entry -> new PartitionChanges.Target(
                        entry.text("topic"), entry.intField("partition"), entry.brokers("replicas")));
    }

    /**
     * Reads elections of preferred leaders.
     *
     * @param key where they stand; for messages
     * @param value the text
     * @return what is wished
     * @throws MetadataFormatException if it is no such text as a whole
     */
    public static AdminInboxJson elections(String key, byte[] value) {
        JsonFields fields = JsonFields.parse(FACTORY, key, value);
        if (!fields.has("partitions")) {
            return new AdminInboxJson(
                    new PartitionChanges(PartitionChanges.Kind.ELECT_PREFERRED, List.of()), true, List.of());
        }
        return read(
                fields,
                PartitionChanges.Kind.ELECT_PREFERRED,
                entry -> new PartitionChanges.Target(entry.text("topic"), entry.intField("partition"), List.of()));
    }

    private static AdminInboxJson read(
            JsonFields fields, PartitionChanges.Kind kind, Function<JsonFields, PartitionChanges.Target> target) {
        List<PartitionChanges.Target> targets = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (Object element : fields.list("partitions")) {
            try {
                PartitionChanges.Target one = target.apply(fields.inner("partitions", element, "expected objects"));
                if (one.partition() < 0) {
                    problems.add("no such partition: key=" + fields.key() + ", topic=" + one.topic() + ", partition="
                            + one.partition());
                } else {
                    targets.add(one);
                }
            } catch (MetadataFormatException broken) {
                problems.add(String.valueOf(broken.getMessage()));
            }
        }
        return new AdminInboxJson(new PartitionChanges(kind, targets), false, problems);
    }
}
