package io.tidemark.tools.verify;

import java.nio.ByteBuffer;

/**
 * Opens the records of compressed batches. This package knows no codec; who prints records passes one that does.
 */
@FunctionalInterface
public interface BatchOpener {
    /**
     * Opens the records of one batch.
     *
     * @param batch the whole batch with its header
     * @return the records as they are without compression
     * @throws IllegalArgumentException if they cannot be opened, saying why
     */
    ByteBuffer open(byte[] batch);
}
