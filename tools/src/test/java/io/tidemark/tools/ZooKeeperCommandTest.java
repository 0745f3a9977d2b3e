package io.tidemark.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.Coordinations;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.ReadMode;
import io.tidemark.coordination.Txn;
import io.tidemark.tools.system.ChildProcess;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo's ZooKeeper server serves in a process of its own and ends when asked. */
class ZooKeeperCommandTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @TempDir
    Path folder = Path.of("");

    @Test
    void shouldServeUntilItIsAskedToEnd() throws Exception {
        Path data = Files.createDirectory(folder.resolve("data"));
        ChildProcess server = ChildProcess.start(new ChildProcess.Command(
                "zookeeper",
                Tidemark.class,
                List.of("-Xmx128m"),
                List.of("zookeeper", "--data", data.toString()),
                folder.resolve("zookeeper.log")));
        try {
            String address = server.awaitLine(ZooKeeperCommand.READY, TIMEOUT);
            URI uri = URI.create("zk://" + address + "/somewhere");
            try (Coordination coordination = Coordinations.open(uri, CoordinationConfig.defaults())) {
                Key key = Key.of("/a/b");
                coordination
                        .commit(Txn.builder().create(key, new byte[] {1}).build())
                        .toCompletableFuture()
                        .get(30, TimeUnit.SECONDS);
                byte[] value = coordination
                        .get(key, ReadMode.LINEARIZABLE)
                        .toCompletableFuture()
                        .get(30, TimeUnit.SECONDS)
                        .orElseThrow()
                        .value();
                assertEquals(1, value[0]);
            }
            server.terminate();
            assertTrue(server.awaitEnd(TIMEOUT), server.tail());
        } finally {
            server.kill();
        }
    }
}
