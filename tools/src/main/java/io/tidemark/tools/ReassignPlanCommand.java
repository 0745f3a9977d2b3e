package io.tidemark.tools;

import io.tidemark.client.Client;
import io.tidemark.client.PartitionMove;
import io.tidemark.tools.system.Terminal;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tidemark topic reassign plan}. */
@Command(
        name = "plan",
        description =
                "Prints where the replicas of topics would go if only some brokers held them, as JSON for 'start'."
                        + " Partitions that are on these brokers already are left out. Nothing is changed.")
final class ReassignPlanCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Parameters(paramLabel = "TOPIC", arity = "1..*", description = "The topics.")
    private List<String> topics = List.of();

    @Option(
            names = "--to",
            paramLabel = "ID",
            split = ",",
            required = true,
            description = "The brokers that are to hold the replicas, such as 4,5,6.")
    private List<Integer> brokers = List.of();

    /**
     * Prepares the command.
     *
     * @param terminal where it writes
     */
    ReassignPlanCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        try (Client client = cluster.connect()) {
            List<PartitionMove> moves = client.admin().planReassignment(topics, brokers);
            ReassignPrinter.plan(terminal.out(), moves);
        }
        return 0;
    }
}
