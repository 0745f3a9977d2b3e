package io.tidemark.coordination.etcd;

import io.tidemark.coordination.CoordinationContract;
import io.tidemark.coordination.CoordinationFixture;
import io.tidemark.coordination.IdleContract;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** The contract on real servers; each case has one for itself while it runs, and a prefix of its own. */
class EtcdContractTest extends CoordinationContract implements IdleContract {
    private static EtcdServers servers;

    @TempDir
    Path guardedFolder;

    @BeforeAll
    static void open(@TempDir Path folder) {
        servers = new EtcdServers(folder);
    }

    @AfterAll
    static void closeServers() {
        servers.close();
    }

    @Override
    protected CoordinationFixture openFixture() {
        return new EtcdFixture(servers, guardedFolder);
    }
}
