package io.tidemark.tools;

import io.tidemark.client.Client;
import io.tidemark.tools.system.Terminal;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tidemark topic elect-unclean}. */
@Command(
        name = "elect-unclean",
        description = "Has any live replica lead the partitions of a topic that nobody with all committed records can"
                + " lead. Committed records that it lacks are lost.")
final class TopicElectUncleanCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    private @Nullable CommandSpec spec;

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Parameters(paramLabel = "TOPIC", description = "The topic.")
    private String topic = "";

    @Option(names = "--accept-loss", description = "Says that the loss of committed records is accepted; required.")
    private boolean isLossAccepted;

    /**
     * Prepares the command.
     *
     * @param terminal where it writes
     */
    TopicElectUncleanCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        CommandSpec given = spec;
        if (!isLossAccepted && given != null) {
            throw new ParameterException(
                    given.commandLine(), "committed records may be lost for good; say --accept-loss if that is meant");
        }
        try (Client client = cluster.connect()) {
            return ReassignPrinter.outcomes(terminal, "elected", client.admin().electUnclean(topic));
        }
    }
}
