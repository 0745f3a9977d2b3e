package io.tidemark.tools;

import io.tidemark.client.Admin;
import io.tidemark.client.Client;
import io.tidemark.client.PartitionMove;
import io.tidemark.client.PartitionOutcome;
import io.tidemark.metadata.AdminInboxJson;
import io.tidemark.tools.system.Folders;
import io.tidemark.tools.system.Terminal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tidemark topic reassign start}. */
@Command(
        name = "start",
        description = "Begins to move replicas: those of a plan, or those of one partition. A move under way gets the"
                + " new target. Exit code 1 if a partition is refused; the others are moved nevertheless.")
final class ReassignStartCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    private @Nullable CommandSpec spec;

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Parameters(paramLabel = "TOPIC", arity = "0..1", description = "The topic, with --partition and --replicas.")
    private @Nullable String topic;

    @Option(names = "--plan", paramLabel = "FILE", description = "A plan, as 'plan' prints it.")
    private @Nullable Path plan;

    @Option(names = "--partition", paramLabel = "N", description = "The partition of TOPIC.")
    private int partition = -1;

    @Option(
            names = "--replicas",
            paramLabel = "ID",
            split = ",",
            description = "Its brokers in the end, the preferred leader first, such as 4,5,6.")
    private List<Integer> replicas = List.of();

    @Option(names = "--wait", paramLabel = "SECONDS", description = "Wait so long for the moves to end.")
    private double waitSeconds;

    /**
     * Prepares the command.
     *
     * @param terminal where it writes
     */
    ReassignStartCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws IOException {
        List<PartitionMove> moves = moves();
        try (Client client = cluster.connect()) {
            Admin admin = client.admin();
            List<PartitionOutcome> outcomes = admin.reassign(moves);
            int exitCode = ReassignPrinter.outcomes(terminal, "reassigning", outcomes);
            if (waitSeconds > 0 && !new ReassignWait(terminal, admin).await(moves, waitSeconds)) {
                return 1;
            }
            return exitCode;
        }
    }

    private List<PartitionMove> moves() throws IOException {
        Path file = plan;
        if (file == null && topic != null && partition >= 0 && !replicas.isEmpty()) {
            return List.of(new PartitionMove(topic, partition, replicas));
        }
        if (file == null || topic != null || partition >= 0 || !replicas.isEmpty()) {
            CommandSpec given = spec;
            if (given == null) {
                throw new IllegalStateException("the command has no specification");
            }
            throw new ParameterException(
                    given.commandLine(), "give --plan FILE, or TOPIC with --partition and --replicas");
        }
        AdminInboxJson content = AdminInboxJson.reassignments(file.toString(), Folders.bytes(file));
        if (!content.problems().isEmpty()) {
            throw new IllegalArgumentException("the plan cannot be used: " + String.join("; ", content.problems()));
        }
        return content.changes().targets().stream()
                .map(target -> new PartitionMove(target.topic(), target.partition(), target.brokers()))
                .toList();
    }
}
