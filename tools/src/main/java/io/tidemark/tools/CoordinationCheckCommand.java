package io.tidemark.tools;

import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.Coordinations;
import io.tidemark.tools.check.ServiceCheck;
import io.tidemark.tools.system.Machine;
import io.tidemark.tools.system.Terminal;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tidemark coordination check}: tries a service before brokers rely on it. */
@Command(
        name = "check",
        description = {
            "Tries all that brokers need of a coordination service, and prints a verdict per line.",
            "Writes below one fresh key /tidemark-check-ID only, and removes it. Takes about 10 seconds. Exits with 0"
                    + " only if all is well."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  tidemark coordination check zk://zk1:2181,zk2:2181,zk3:2181/tidemark",
            "  tidemark coordination check etcd://etcd1:2379/tidemark --credentials-file user --tls-trust ca.pem"
        })
final class CoordinationCheckCommand implements Callable<Integer> {
    private static final int TIMEOUT_S_MAX = 600;

    private final Terminal terminal;

    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(
            paramLabel = "URI",
            description = "The service: zk://HOST:PORT/PATH, etcd://HOST:PORT/PATH or local:DIR.")
    private String uri = "";

    @Mixin
    private SecurityOptions security = new SecurityOptions();

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "10",
            description = "How long to wait for each answer (default: ${DEFAULT-VALUE}).")
    private int timeoutS;

    /**
     * Prepares the command.
     *
     * @param terminal where it writes
     */
    CoordinationCheckCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if ((timeoutS < 1 || timeoutS > TIMEOUT_S_MAX) && spec != null) {
            throw new ParameterException(
                    spec.commandLine(), "--timeout must lie between 1 and " + TIMEOUT_S_MAX + ": timeout=" + timeoutS);
        }
        Duration timeout = Duration.ofSeconds(timeoutS);
        CoordinationConfig config = security.security()
                .applyTo(CoordinationConfig.builder()
                        .clientName("check")
                        .connectTimeout(timeout)
                        .operationTimeout(timeout))
                .build();
        String runId = String.format("%08x", (int) Machine.nanoTime());
        try (Coordination client = Coordinations.open(uri, config)) {
            return new ServiceCheck(client, runId, timeout, terminal.out()).run() == 0 ? 0 : 1;
        }
    }
}
