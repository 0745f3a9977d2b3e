package io.tidemark.fetch;

import io.tidemark.partition.PartitionId;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Values by partition, looked up with the numbers that stand on the wire, so that a look-up makes no garbage. Open
 * addressing with linear probing. Not thread-safe.
 *
 * @param <V> kind of the values
 */
public final class PartitionMap<V> {
    private static final int CAPACITY_MIN = 16;

    private long[] highs = new long[CAPACITY_MIN];
    private long[] lows = new long[CAPACITY_MIN];
    private int[] partitions = new int[CAPACITY_MIN];
    private @Nullable Object[] values = new @Nullable Object[CAPACITY_MIN];
    private int size;

    /** Creates an empty map. */
    public PartitionMap() {}

    /**
     * Looks a partition up.
     *
     * @param topicIdHigh most significant bits of the topic id
     * @param topicIdLow least significant bits of the topic id
     * @param partition number of the partition
     * @return its value, null if it has none
     */
    public @Nullable V get(long topicIdHigh, long topicIdLow, int partition) {
        return valueAt(slotOf(topicIdHigh, topicIdLow, partition));
    }

    /**
     * Looks a partition up.
     *
     * @param id of the partition
     * @return its value, null if it has none
     */
    public @Nullable V get(PartitionId id) {
        return get(id.topicId().getMostSignificantBits(), id.topicId().getLeastSignificantBits(), id.partition());
    }

    /**
     * Sets the value of a partition.
     *
     * @param id of the partition
     * @param value that replaces the one it has, if any
     */
    public void put(PartitionId id, V value) {
        long high = id.topicId().getMostSignificantBits();
        long low = id.topicId().getLeastSignificantBits();
        if (2 * (size + 1) > values.length) {
            grow();
        }
        int slot = slotOf(high, low, id.partition());
        if (values[slot] == null) {
            highs[slot] = high;
            lows[slot] = low;
            partitions[slot] = id.partition();
            size++;
        }
        values[slot] = value;
    }

    /**
     * Takes a partition out.
     *
     * @param topicIdHigh most significant bits of the topic id
     * @param topicIdLow least significant bits of the topic id
     * @param partition number of the partition
     * @return the value that it had, null if it had none
     */
    public @Nullable V remove(long topicIdHigh, long topicIdLow, int partition) {
        int slot = slotOf(topicIdHigh, topicIdLow, partition);
        V removed = valueAt(slot);
        if (removed != null) {
            size--;
            closeGap(slot);
        }
        return removed;
    }

    /**
     * Takes a partition out.
     *
     * @param id of the partition
     * @return the value that it had, null if it had none
     */
    public @Nullable V remove(PartitionId id) {
        return remove(id.topicId().getMostSignificantBits(), id.topicId().getLeastSignificantBits(), id.partition());
    }

    /**
     * Number of partitions.
     *
     * @return 0 or more
     */
    public int size() {
        return size;
    }

    /** Takes all partitions out. */
    public void clear() {
        Arrays.fill(values, null);
        size = 0;
    }

    /**
     * Hands out all values, in no particular but a repeatable order. The map must not be changed meanwhile.
     *
     * @param consumer of the values
     */
    public void forEach(Consumer<? super V> consumer) {
        for (int slot = 0; slot < values.length; slot++) {
            V value = valueAt(slot);
            if (value != null) {
                consumer.accept(value);
            }
        }
    }

    /** Moves later entries of the same run back, so that no look-up stops at the slot that became empty. */
    private void closeGap(int emptied) {
        int mask = values.length - 1;
        int gap = emptied;
        int slot = (gap + 1) & mask;
        while (values[slot] != null) {
            int home = home(highs[slot], lows[slot], partitions[slot]);
            if (((slot - home) & mask) >= ((slot - gap) & mask)) {
                highs[gap] = highs[slot];
                lows[gap] = lows[slot];
                partitions[gap] = partitions[slot];
                values[gap] = values[slot];
                gap = slot;
            }
            slot = (slot + 1) & mask;
        }
        values[gap] = null;
    }

    private void grow() {
        long[] oldHighs = highs;
        long[] oldLows = lows;
        int[] oldPartitions = partitions;
        @Nullable Object[] oldValues = values;
        highs = new long[oldValues.length * 2];
        lows = new long[oldValues.length * 2];
        partitions = new int[oldValues.length * 2];
        values = new @Nullable Object[oldValues.length * 2];
        for (int old = 0; old < oldValues.length; old++) {
            if (oldValues[old] != null) {
                int slot = slotOf(oldHighs[old], oldLows[old], oldPartitions[old]);
                highs[slot] = oldHighs[old];
                lows[slot] = oldLows[old];
                partitions[slot] = oldPartitions[old];
                values[slot] = oldValues[old];
            }
        }
    }

    private int slotOf(long high, long low, int partition) {
        int mask = values.length - 1;
        int slot = home(high, low, partition);
        while (values[slot] != null && !(highs[slot] == high && lows[slot] == low && partitions[slot] == partition)) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private int home(long high, long low, int partition) {
        long mixed = (high * 31 + low) * 0x9E3779B97F4A7C15L + partition * 0xD1B54A32D192ED03L;
        return (int) (mixed >>> 32) & (values.length - 1);
    }

    @SuppressWarnings("unchecked")
    private @Nullable V valueAt(int slot) {
        return (V) values[slot];
    }
}
