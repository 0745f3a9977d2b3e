package io.tidemark.coordination.zk;

import io.tidemark.coordination.CoordinationContract;
import io.tidemark.coordination.CoordinationFixture;
import io.tidemark.coordination.IdleContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The contract on a real server. */
class ZkContractTest extends CoordinationContract implements IdleContract {
    @TempDir
    Path folder;

    @Override
    protected CoordinationFixture openFixture() {
        return new ZkFixture(folder);
    }
}
