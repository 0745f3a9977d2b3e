package io.tidemark.coordination.etcd;

import com.google.protobuf.ByteString;

/**
 * Keys of etcd in {@code [from, to)}, in the order of their bytes. Immutable.
 *
 * @param from the first key
 * @param to what comes after the last
 */
record KeyRange(ByteString from, ByteString to) {
    private static final ByteString LEAST = ByteString.copyFrom(new byte[] {0});

    /**
     * One key.
     *
     * @param key the key
     * @return a range that holds nothing else
     */
    static KeyRange ofKey(ByteString key) {
        return new KeyRange(key, justAfter(key));
    }

    /**
     * The next possible key.
     *
     * @param key a key
     * @return the least key that is greater
     */
    static ByteString justAfter(ByteString key) {
        return key.concat(LEAST);
    }

    /**
     * Tells whether a key lies in the range.
     *
     * @param key the key
     * @return true if so
     */
    boolean holds(ByteString key) {
        return compare(from, key) <= 0 && compare(key, to) < 0;
    }

    /**
     * Compares two keys as etcd does.
     *
     * @param left one key
     * @param right the other
     * @return negative, zero or positive
     */
    static int compare(ByteString left, ByteString right) {
        return ByteString.unsignedLexicographicalComparator().compare(left, right);
    }
}
