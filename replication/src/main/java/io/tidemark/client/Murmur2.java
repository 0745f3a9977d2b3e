package io.tidemark.client;

/**
 * The 32-bit murmur2 hash with the seed by which Kafka's producer spreads keys, so that a key lands on the same
 * partition number here and there. Source: Austin Appleby's MurmurHash2; compared with Kafka's own in a test.
 */
final class Murmur2 {
    private static final int SEED = 0x9747b28c;
    private static final int MULTIPLIER = 0x5bd1e995;
    private static final int SHIFT = 24;

    private Murmur2() {}

    /**
     * Partition of a key.
     *
     * @param key not null
     * @param partitionCount 1 or more
     * @return 0 to partitionCount − 1
     */
    static int partition(byte[] key, int partitionCount) {
        return (hash(key) & Integer.MAX_VALUE) % partitionCount;
    }

    /**
     * Hash of bytes.
     *
     * @param bytes to hash
     * @return any int
     */
    static int hash(byte[] bytes) {
        int hash = SEED ^ bytes.length;
        int at = 0;
        for (; at + Integer.BYTES <= bytes.length; at += Integer.BYTES) {
            int word = word(bytes, at, Integer.BYTES) * MULTIPLIER;
            word = (word ^ (word >>> SHIFT)) * MULTIPLIER;
            hash = (hash * MULTIPLIER) ^ word;
        }
        if (at < bytes.length) {
            hash = (hash ^ word(bytes, at, bytes.length - at)) * MULTIPLIER;
        }
        hash = (hash ^ (hash >>> 13)) * MULTIPLIER;
        return hash ^ (hash >>> 15);
    }

    private static int word(byte[] bytes, int at, int count) {
        int word = 0;
        for (int i = 0; i < count; i++) {
            word |= (bytes[at + i] & 0xFF) << (i * Byte.SIZE);
        }
        return word;
    }
}
