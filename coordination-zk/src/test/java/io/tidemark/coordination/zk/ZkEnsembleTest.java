package io.tidemark.coordination.zk;

import io.tidemark.coordination.EnsembleContract;
import io.tidemark.coordination.EnsembleFixture;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The faults of single members, with three real servers. */
class ZkEnsembleTest extends EnsembleContract {
    @TempDir
    static Path folder;

    @Override
    protected EnsembleFixture openFixture() {
        return new ZkEnsemble(folder);
    }
}
