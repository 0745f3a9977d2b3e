package io.tidemark.metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tidemark.coordination.Key;
import io.tidemark.partition.PartitionId;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class MetadataKeysTest {
    private static final UUID TOPIC_ID = new UUID(1, 2);
    private static final PartitionId ID = new PartitionId(TOPIC_ID, 3);

    // Operators and other versions find things under these paths.
    @Test
    void shouldKeepThePaths() {
        assertEquals("/cluster/id", MetadataKeys.CLUSTER_ID.path());
        assertEquals("/controller", MetadataKeys.CONTROLLER.path());
        assertEquals("/controller_epoch", MetadataKeys.CONTROLLER_EPOCH.path());
        assertEquals("/producer_ids", MetadataKeys.PRODUCER_IDS.path());
        assertEquals("/brokers/ids/7", MetadataKeys.brokerId(7).path());
        assertEquals(
                "/brokers/incarnations/7", MetadataKeys.brokerIncarnation(7).path());
        assertEquals("/brokers/topics/t/topic", MetadataKeys.topic("t").path());
        assertEquals(
                "/brokers/topics/t/00000000-0000-0001-0000-000000000002/partitions/3/state",
                MetadataKeys.partitionState("t", ID).path());
    }

    @Test
    void shouldReadItsOwnKeys() {
        assertEquals(Optional.of(7), MetadataKeys.brokerOf(MetadataKeys.brokerId(7)));
        assertEquals(Optional.of("t"), MetadataKeys.topicOf(MetadataKeys.topic("t")));
        assertEquals(
                Optional.of(new MetadataKeys.PartitionKey("t", ID)),
                MetadataKeys.partitionOf(MetadataKeys.partitionState("t", ID)));
    }

    // A topic may be called like a part of a path.
    @Test
    void shouldTellTopicsFromParts() {
        assertEquals(Optional.of("topic"), MetadataKeys.topicOf(MetadataKeys.topic("topic")));
        assertEquals(
                Optional.of(new MetadataKeys.PartitionKey("partitions", ID)),
                MetadataKeys.partitionOf(MetadataKeys.partitionState("partitions", ID)));
    }

    // Foreign keys beside ours are no reason to stop.
    @Test
    void shouldIgnoreForeignKeys() {
        for (String path : new String[] {
            "/",
            "/brokers/topics",
            "/brokers/topics/t",
            "/brokers/topics/t/other",
            "/brokers/ids/x",
            "/brokers/ids/07",
            "/brokers/ids/-1",
            "/brokers/ids/7/x",
            "/brokers/ids/99999999999",
            "/brokers/topics/t/nouuid/partitions/3/state",
            "/brokers/topics/t/00000000-0000-0001-0000-000000000002/partitions/x/state",
            "/brokers/topics/t/00000000-0000-0001-0000-000000000002/partitions/3/other",
            "/brokers/topics/t/00000000-0000-0001-0000-000000000002/things/3/state",
            "/brokers/topics/t/1-1-1-1-1/partitions/3/state"
        }) {
            assertEquals(Optional.empty(), MetadataKeys.brokerOf(Key.of(path)), path);
            assertEquals(Optional.empty(), MetadataKeys.topicOf(Key.of(path)), path);
            assertEquals(Optional.empty(), MetadataKeys.partitionOf(Key.of(path)), path);
        }
    }
}
