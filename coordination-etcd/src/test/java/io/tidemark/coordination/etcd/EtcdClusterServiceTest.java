package io.tidemark.coordination.etcd;

import io.tidemark.coordination.CoordinationFixture;
import io.tidemark.coordination.EnsembleClients;
import io.tidemark.coordination.ServiceSuite;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What the contract says of the back end, on three real servers, which the cases use one after the other. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EtcdClusterServiceTest extends ServiceSuite {
    private EtcdCluster ensemble;
    private int cases;

    @BeforeAll
    void open(@TempDir Path folder) {
        ensemble = new EtcdCluster(folder);
    }

    @AfterAll
    void closeEnsemble() {
        ensemble.close();
    }

    @Override
    protected CoordinationFixture openFixture() {
        cases++;
        return new EnsembleClients(ensemble, "/case-" + cases);
    }
}
