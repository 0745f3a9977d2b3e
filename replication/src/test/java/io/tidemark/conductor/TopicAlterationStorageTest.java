package io.tidemark.conductor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.conductor.TopicStorageTest.Fault;
import io.tidemark.conductor.TopicStorageTest.World;
import io.tidemark.controller.AdminResult;
import io.tidemark.controller.AlterTopic;
import io.tidemark.controller.CreateTopic;
import io.tidemark.controller.TopicState;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.metadata.MetadataKeys;
import io.tidemark.partition.Durability;
import io.tidemark.partition.PartitionId;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Changes of a topic's configuration when the controller dies between any two of their writes. */
class TopicAlterationStorageTest {
    private static final int PARTITIONS = 3;
    private static final AlterTopic ALTER = new AlterTopic("t", Map.of("min.isr", "1", "retention.ms", "5000"));

    // C-02, must be seen: the topic's own write, then one for each partition; each is lost, or applied, or still on its
    // way when the controller dies. The next one brings all records to what the topic says.
    @Test
    void shouldBringAllRecordsToWhatTheTopicSaysWhenTheControllerDiesAtAnyWrite() {
        for (Fault fault : Fault.values()) {
            for (int nth = 1; nth <= 1 + PARTITIONS; nth++) {
                String where = "fault=" + fault + ", write=" + nth;
                try (World world = new World()) {
                    world.await(world.first.admin(new CreateTopic("t", PARTITIONS, 2, 2, Durability.REPLICATED)));
                    fault.inject(world, nth);
                    world.first.admin(ALTER);
                    world.killAtFault();
                    ControllerNode next = world.elect(2);
                    world.cluster.faults().deliverDelayed(world.first.client);
                    world.cluster.advance(Duration.ofSeconds(1));

                    TopicState topic = world.topic().orElseThrow();
                    assertEquals(Set.of(topic.minIsr()), minIsrs(world, topic), where);
                    assertTrue(nth == 1 || topic.minIsr() == 1, where);
                    AdminResult again = world.await(next.admin(ALTER));
                    assertEquals(topic.minIsr() == 1, again instanceof AdminResult.NoChange, where + ": " + again);
                    world.cluster.await(
                            "all records follow", () -> minIsrs(world, topic).equals(Set.of(1)));
                    assertEquals(
                            5000,
                            world.topic().orElseThrow().config().retentionMs().orElse(-7),
                            where);
                }
            }
        }
    }

    private static Set<Integer> minIsrs(World world, TopicState topic) {
        Set<Integer> found = new TreeSet<>();
        for (int i = 0; i < topic.partitions(); i++) {
            world.cluster
                    .entry(MetadataKeys.partitionState("t", new PartitionId(topic.topicId(), i)))
                    .ifPresent(entry -> found.add(
                            MetadataJson.decodePartition("t", entry.value()).minIsr()));
        }
        return found;
    }
}
