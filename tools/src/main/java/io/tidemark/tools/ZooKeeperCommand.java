package io.tidemark.tools;

import io.tidemark.tools.system.ParentWatch;
import io.tidemark.tools.system.Shutdown;
import io.tidemark.tools.system.Terminal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.Callable;
import org.apache.zookeeper.server.embedded.ExitHandler;
import org.apache.zookeeper.server.embedded.ZooKeeperServerEmbedded;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code tidemark zookeeper}: a single ZooKeeper server on the loopback device, for the demo, which starts it as a
 * child. Not shown in the help. Ends with its parent.
 */
@Command(name = "zookeeper", hidden = true, description = "Runs a ZooKeeper server for the demo.")
final class ZooKeeperCommand implements Callable<Integer> {
    /** How the line begins that says that the server serves. */
    static final String READY = "ready zookeeper=";

    private static final Duration GRACE = Duration.ofSeconds(10);
    private static final long START_TIMEOUT_MS = 30_000;

    /** The unit of ZooKeeper's sessions, which last 2 to 20 of it: fits the 6 s of a broker's session. */
    private static final int TICK_TIME_MS = 1_000;

    private final Terminal terminal;

    @Option(names = "--data", paramLabel = "DIR", required = true, description = "The server's folder.")
    private Path data = Path.of("");

    /**
     * Prepares the command.
     *
     * @param terminal where it writes
     */
    ZooKeeperCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws Exception {
        Properties properties = new Properties();
        properties.setProperty("clientPort", "0");
        properties.setProperty("clientPortAddress", "127.0.0.1");
        properties.setProperty("tickTime", Integer.toString(TICK_TIME_MS));
        properties.setProperty("maxClientCnxns", "0");
        properties.setProperty("admin.enableServer", "false");
        try (ZooKeeperServerEmbedded server = ZooKeeperServerEmbedded.builder()
                        .baseDir(data)
                        .configuration(properties)
                        .exitHandler(ExitHandler.LOG_ONLY)
                        .build();
                Shutdown shutdown = Shutdown.graceful(GRACE)) {
            server.start(START_TIMEOUT_MS);
            shutdown.hold();
            ParentWatch.start(terminal.in(), shutdown::request);
            terminal.out().println(READY + "127.0.0.1:" + server.getClientPort());
            terminal.out().flush();
            shutdown.awaitRequest();
        }
        return 0;
    }
}
