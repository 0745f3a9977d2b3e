package io.tidemark.tools;

import io.tidemark.client.Client;
import io.tidemark.tools.system.Terminal;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code tidemark topic reassign cancel}. */
@Command(name = "cancel", description = "Ends moves that are under way; the replicas are those of before.")
final class ReassignCancelCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Parameters(paramLabel = "TOPIC", arity = "0..*", description = "The topics; all if there is none.")
    private List<String> topics = List.of();

    /**
     * Prepares the command.
     *
     * @param terminal where it writes
     */
    ReassignCancelCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        try (Client client = cluster.connect()) {
            return ReassignPrinter.outcomes(
                    terminal, "cancelled", client.admin().cancelReassignments(topics));
        }
    }
}
