package io.tidemark.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.tidemark.partition.PartitionId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A map without garbage against one with. */
class PartitionMapTest {
    private static final int STEPS = 50_000;

    // Puts, replacements and removals at random, over few keys so that runs of slots are broken and closed again.
    @Test
    void shouldHoldWhatAHashMapHolds() {
        long seed = System.nanoTime();
        System.out.println("seed=" + seed + "; to replay, set the seed in PartitionMapTest");
        Random random = new Random(seed);
        PartitionMap<String> map = new PartitionMap<>();
        Map<PartitionId, String> model = new HashMap<>();
        for (int step = 0; step < STEPS; step++) {
            PartitionId id = new PartitionId(new UUID(random.nextInt(3), random.nextInt(4)), random.nextInt(20));
            if (random.nextInt(3) > 0) {
                String value = "v" + step;
                map.put(id, value);
                model.put(id, value);
            } else {
                String removed = map.remove(
                        id.topicId().getMostSignificantBits(), id.topicId().getLeastSignificantBits(), id.partition());
                assertEquals(model.remove(id), removed, "seed=" + seed + ", step=" + step);
            }
            assertEquals(model.size(), map.size(), "seed=" + seed + ", step=" + step);
            assertEquals(model.get(id), map.get(id), "seed=" + seed + ", step=" + step);
        }
        Set<String> seen = new HashSet<>();
        map.forEach(seen::add);
        assertEquals(new HashSet<>(model.values()), seen, "seed=" + seed);
        for (Map.Entry<PartitionId, String> entry : model.entrySet()) {
            assertEquals(entry.getValue(), map.get(entry.getKey()), "seed=" + seed);
        }
        map.clear();
        assertEquals(0, map.size());
        assertNull(map.get(0, 0, 0));
    }
}
