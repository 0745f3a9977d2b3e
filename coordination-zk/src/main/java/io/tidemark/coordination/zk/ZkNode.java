package io.tidemark.coordination.zk;

import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/** A node as it was read. Its data is not copied; nobody may change it. */
final class ZkNode {
    private final byte @Nullable [] data;
    private final Stat stat;

    /**
     * Makes a node.
     *
     * @param data its data; null for a directory
     * @param stat its versions
     */
    ZkNode(byte @Nullable [] data, Stat stat) {
        this.data = data;
        this.stat = stat;
    }

    /** {@return its data; null for a directory} */
    byte @Nullable [] data() {
        return data;
    }

    /** {@return whether it holds an entry} */
    boolean isEntry() {
        return data != null;
    }

    /** {@return its versions} */
    Stat stat() {
        return stat;
    }
}
