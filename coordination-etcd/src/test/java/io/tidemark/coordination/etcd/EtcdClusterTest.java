package io.tidemark.coordination.etcd;

import io.tidemark.coordination.EnsembleContract;
import io.tidemark.coordination.EnsembleFixture;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The faults of single members, with a cluster of three. */
class EtcdClusterTest extends EnsembleContract {
    @TempDir
    static Path folder;

    @Override
    protected EnsembleFixture openFixture() {
        return new EtcdCluster(folder);
    }
}
