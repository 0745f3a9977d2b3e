package io.tidemark.tools;

import io.tidemark.client.Client;
import io.tidemark.client.ClientConfig;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options by which a command finds a cluster. */
final class ClusterOptions {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    @ArgGroup(exclusive = true, multiplicity = "1")
    private Target target = new Target();

    @Mixin
    private SecurityOptions security = new SecurityOptions();

    /** One of two ways. */
    private static final class Target {
        @Option(
                names = "--brokers",
                paramLabel = "HOST:PORT[,HOST:PORT]",
                description = "Addresses of brokers; one that answers is enough.")
        private @Nullable String brokers;

        @Option(
                names = "--coordination",
                paramLabel = "URI",
                description = "The coordination service of the cluster, such as zk://HOST:PORT/PATH or"
                        + " etcd://HOST:PORT/PATH.")
        private @Nullable String coordination;
    }

    /** Filled by the command line. */
    ClusterOptions() {}

    /**
     * Connects to the cluster.
     *
     * @return the client, to be closed by the caller
     */
    Client connect() {
        String found = target.brokers != null ? target.brokers : target.coordination;
        return Client.connect(
                found == null ? "" : found,
                ClientConfig.builder()
                        .connectTimeout(CONNECT_TIMEOUT)
                        .coordinationSecurity(security.security())
                        .build());
    }
}
