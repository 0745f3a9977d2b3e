package io.tidemark.coordination.etcd;

import io.tidemark.coordination.CoordinationContract;
import io.tidemark.coordination.CoordinationFixture;
import io.tidemark.coordination.IdleContract;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The contract on a real server; each case has a prefix of its own. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EtcdContractTest extends CoordinationContract implements IdleContract {
    private final AtomicInteger cases = new AtomicInteger();
    private EtcdServer server;

    @TempDir
    Path guardedFolder;

    @BeforeAll
    void startServer(@TempDir Path folder) {
        server = EtcdServer.start(folder);
    }

    @AfterAll
    void stopServer() {
        server.close();
    }

    @Override
    protected CoordinationFixture openFixture() {
        server.ensureRunning();
        return new EtcdFixture(server, "/contract/" + cases.incrementAndGet(), guardedFolder);
    }
}
