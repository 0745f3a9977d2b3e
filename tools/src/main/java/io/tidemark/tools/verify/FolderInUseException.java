package io.tidemark.tools.verify;

import java.io.IOException;
import java.nio.file.Path;

/** A folder is in use by a process, so that what is in it changes while it is looked at. */
public final class FolderInUseException extends IOException {
    private static final long serialVersionUID = 1L;

    /**
     * Names the lock.
     *
     * @param lock the lock file
     */
    FolderInUseException(Path lock) {
        super("data folder is in use: lock=" + lock + "; stop the broker, then check again");
    }
}
