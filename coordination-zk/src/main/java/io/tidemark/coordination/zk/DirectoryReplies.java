package io.tidemark.coordination.zk;

import java.util.function.BiConsumer;
import org.apache.zookeeper.KeeperException.Code;

/** Waits for the replies to several creations of directories. Owned by the loop. */
final class DirectoryReplies {
    private final BiConsumer<String, Code> done;
    private Code verdict = Code.OK;
    private String where = "";
    private int missing;

    /**
     * Begins to wait.
     *
     * @param count how many replies will come
     * @param done is given OK if nothing stands in the way any more, else the first other verdict with its path
     */
    DirectoryReplies(int count, BiConsumer<String, Code> done) {
        this.missing = count;
        this.done = done;
    }

    /**
     * A reply came.
     *
     * @param path the directory
     * @param code its verdict
     */
    void arrived(String path, Code code) {
        // A directory may exist, and one above it that was empty may be gone again: the next attempt will tell.
        boolean harmless = code == Code.OK || code == Code.NODEEXISTS || code == Code.NONODE;
        if (!harmless && verdict == Code.OK) {
            verdict = code;
            where = path;
        }
        missing--;
        if (missing == 0) {
            done.accept(where, verdict);
        }
    }
}
