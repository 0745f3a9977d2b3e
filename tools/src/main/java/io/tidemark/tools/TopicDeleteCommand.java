package io.tidemark.tools;

import io.tidemark.client.Client;
import io.tidemark.client.UnknownTopicException;
import io.tidemark.tools.system.Terminal;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tidemark topic delete}. */
@Command(
        name = "delete",
        description = "Deletes a topic with all its records, for ever. Brokers that are away delete their part later.")
final class TopicDeleteCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Parameters(paramLabel = "NAME", description = "The name of the topic.")
    private String name = "";

    @Option(
            names = "--topic-id",
            paramLabel = "UUID",
            description = "Delete the topic only if it has this id, see 'topic describe'.")
    private @Nullable UUID topicId;

    @Option(names = "--if-exists", description = "It is no error if there is no such topic.")
    private boolean ifExists;

    /**
     * Prepares the command.
     *
     * @param terminal where it writes
     */
    TopicDeleteCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        try (Client client = cluster.connect()) {
            delete(client);
            terminal.out().println("deleted topic=" + name);
        } catch (UnknownTopicException absent) {
            if (!ifExists) {
                throw absent;
            }
            terminal.out().println("absent topic=" + name);
        }
        return 0;
    }

    private void delete(Client client) {
        UUID wanted = topicId;
        if (wanted == null) {
            client.admin().deleteTopic(name);
        } else {
            client.admin().deleteTopic(name, wanted);
        }
    }
}
