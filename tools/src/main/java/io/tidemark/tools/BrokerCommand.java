package io.tidemark.tools;

import io.tidemark.broker.Broker;
import io.tidemark.broker.BrokerConfig;
import io.tidemark.tools.system.CommandFailure;
import io.tidemark.tools.system.LocalFiles;
import io.tidemark.tools.system.ParentWatch;
import io.tidemark.tools.system.Shutdown;
import io.tidemark.tools.system.Terminal;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tidemark broker}: runs a broker until a signal comes. */
@Command(
        name = "broker",
        description = {
            "Runs a broker until it gets SIGTERM or Ctrl-C, then closes it cleanly.",
            "Prints one line when it is ready: ready broker=ID address=HOST:PORT data=DIR"
        })
final class BrokerCommand implements Callable<Integer> {
    /** How the line begins that says that the broker serves. */
    static final String READY = "ready broker=";

    private static final Duration GRACE = Duration.ofSeconds(30);

    private final Terminal terminal;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--id", paramLabel = "ID", description = "The number of the broker, unique in the cluster.")
    private @Nullable Integer id;

    @Option(names = "--data", paramLabel = "DIR", description = "The broker's own folder; made if it is absent.")
    private @Nullable Path data;

    @Option(
            names = "--coordination",
            paramLabel = "URI",
            description =
                    "The coordination service: zk://HOST:PORT[,HOST:PORT]/PATH, etcd://HOST:PORT[,HOST:PORT]/PATH,"
                            + " or local: for a single node.")
    private @Nullable String coordination;

    @Mixin
    private SecurityOptions security = new SecurityOptions();

    @Option(names = "--host", paramLabel = "HOST", description = "The address to listen on (default: 127.0.0.1).")
    private @Nullable String host;

    @Option(
            names = "--advertised-host",
            paramLabel = "HOST",
            description = "The address that others connect to (default: that of --host).")
    private @Nullable String advertisedHost;

    @Option(names = "--port", paramLabel = "PORT", description = "The TCP port (default: the system chooses one).")
    private @Nullable Integer port;

    @Option(names = "--rack", paramLabel = "NAME", description = "Where the broker stands; replicas are spread.")
    private @Nullable String rack;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "A properties file with the same settings and more (broker.id, data.directory, ...);"
                    + " options given here win over it.")
    private @Nullable Path config;

    @Option(names = "--set", paramLabel = "KEY=VALUE", description = "One setting as in the file of --config.")
    private Map<String, String> settings = new LinkedHashMap<>();

    @Option(
            names = "--exit-with-parent",
            hidden = true,
            description = "Close when standard input ends, as it does when the parent process is gone.")
    private boolean exitWithParent;

    /**
     * Prepares the command.
     *
     * @param terminal where it writes
     */
    BrokerCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        BrokerConfig checked = BrokerConfig.from(properties());
        try (Shutdown shutdown = Shutdown.graceful(GRACE)) {
            serve(checked, shutdown);
            terminal.out().println("closed broker=" + checked.brokerId());
            terminal.out().flush();
        }
        return 0;
    }

    private void serve(BrokerConfig checked, Shutdown shutdown) throws InterruptedException {
        try (Broker broker = Broker.start(checked)) {
            shutdown.hold();
            if (exitWithParent) {
                ParentWatch.start(terminal.in(), shutdown::request);
            }
            terminal.out()
                    .println(READY + broker.brokerId() + " address=" + broker.address() + " data="
                            + checked.dataDirectory().toAbsolutePath());
            terminal.out().flush();
            shutdown.awaitRequest();
        }
    }

    private Properties properties() {
        Properties properties = new Properties();
        if (config != null) {
            byte[] text = LocalFiles.read(config, "configuration", "correct --config");
            try {
                properties.load(new StringReader(new String(text, StandardCharsets.UTF_8)));
            } catch (IOException | IllegalArgumentException e) {
                throw new CommandFailure(
                        "the configuration is no properties file: file=" + config + ", cause=" + e.getMessage()
                                + "; write one key=value per line",
                        e);
            }
        }
        settings.forEach(properties::setProperty);
        set(properties, "broker.id", id);
        set(properties, "data.directory", data);
        set(properties, "coordination", coordination);
        security.settings().forEach((name, value) -> properties.setProperty("coordination." + name, value));
        set(properties, "host", host);
        set(properties, "advertised.host", advertisedHost);
        set(properties, "port", port);
        set(properties, "rack", rack);
        requireSet(properties, "broker.id", "--id");
        requireSet(properties, "data.directory", "--data");
        requireSet(properties, "coordination", "--coordination");
        return properties;
    }

    private static void set(Properties properties, String key, @Nullable Object value) {
        if (value != null) {
            properties.setProperty(key, value.toString());
        }
    }

    private void requireSet(Properties properties, String key, String option) {
        if (properties.getProperty(key) == null && spec != null) {
            throw new ParameterException(
                    spec.commandLine(),
                    "a setting is missing: give " + option + ", or put " + key + " into the file of --config");
        }
    }
}
