package io.tidemark.tools.demo;

import io.tidemark.tools.system.Folders;
import java.nio.file.Path;

/** The folder of a run. Any thread. */
final class RunFolder implements AutoCloseable {
    private final Path path;
    private final boolean isKept;
    private final boolean isNew;
    private volatile boolean isUsed;

    private RunFolder(Path path, boolean isKept, boolean isNew) {
        this.path = path;
        this.isKept = isKept;
        this.isNew = isNew;
    }

    /**
     * A folder that goes with the run.
     *
     * @return a fresh one among the temporary files
     */
    static RunFolder temporary() {
        return new RunFolder(Folders.createTemporary("tidemark-demo-"), false, true);
    }

    /**
     * A folder that stays.
     *
     * @param path a new or empty folder
     * @return the folder, made if it was absent
     */
    static RunFolder kept(Path path) {
        return new RunFolder(path, true, Folders.createEmpty(path));
    }

    /**
     * Where it is.
     *
     * @return the path
     */
    Path path() {
        return path;
    }

    /** The brokers have started: what they leave is worth keeping, also if a later step fails. */
    void onUsed() {
        isUsed = true;
    }

    /** Removes it, as it was before: a folder that was there already stays, empty. */
    void delete() {
        Folders.delete(path);
        if (!isNew) {
            Folders.create(path);
        }
    }

    /** Removes it unless it is to be kept and was used. */
    @Override
    public void close() {
        if (!isKept || !isUsed) {
            delete();
        }
    }
}
