package io.tidemark.coordination.local;

import io.tidemark.coordination.CoordinationContract;
import io.tidemark.coordination.CoordinationFixture;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The contract on the back end of this process with its store in a folder on the disk, on a virtual clock. */
final class LocalDurableContractTest extends CoordinationContract {
    @TempDir
    Path folder;

    @Override
    protected CoordinationFixture openFixture() {
        return LocalFixture.durable(new DiskFolder(folder));
    }
}
