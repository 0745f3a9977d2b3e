package io.tidemark.coordination.zk;

import io.tidemark.coordination.CoordinationFixture;
import io.tidemark.coordination.ElectionSuite;
import io.tidemark.coordination.EnsembleClients;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What the contract says of elections, on three real servers, which the cases use one after the other. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ZkEnsembleElectionTest extends ElectionSuite {
    private ZkEnsemble ensemble;
    private int cases;

    @BeforeAll
    void open(@TempDir Path folder) {
        ensemble = new ZkEnsemble(folder);
    }

    @AfterAll
    void closeEnsemble() {
        ensemble.close();
    }

    // A single server has all 200.
    @Override
    public int losses() {
        return 30;
    }

    @Override
    protected CoordinationFixture openFixture() {
        cases++;
        return new EnsembleClients(ensemble, "/case-" + cases);
    }
}
