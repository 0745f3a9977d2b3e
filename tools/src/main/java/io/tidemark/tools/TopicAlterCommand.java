package io.tidemark.tools;

import io.tidemark.client.Admin;
import io.tidemark.client.Client;
import io.tidemark.client.TopicDescription;
import io.tidemark.tools.system.Terminal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tidemark topic alter}. */
@Command(name = "alter", description = "Changes the configuration of a topic, without a restart.")
final class TopicAlterCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    private @Nullable CommandSpec spec;

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Parameters(paramLabel = "NAME", description = "The name of the topic.")
    private String name = "";

    @Option(
            names = "--config",
            paramLabel = "SETTING=N",
            description = "min.isr (1 to the replication factor), retention.ms or retention.bytes (-1 for no limit)."
                    + " May be given several times.")
    private Map<String, String> config = new TreeMap<>();

    @Option(
            names = "--reset",
            paramLabel = "SETTING",
            description = "Leave retention.ms or retention.bytes to the brokers again. May be given several times.")
    private List<String> reset = new ArrayList<>();

    @Option(names = "--json", description = "Print the topic as JSON.")
    private boolean json;

    /**
     * Prepares the command.
     *
     * @param terminal where it writes
     */
    TopicAlterCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        Map<String, String> changes = new TreeMap<>(config);
        reset.forEach(setting -> changes.put(setting, ""));
        if (changes.isEmpty() && spec != null) {
            throw new ParameterException(spec.commandLine(), "nothing to change: give --config or --reset");
        }
        try (Client client = cluster.connect()) {
            Admin admin = client.admin();
            admin.alterTopic(name, changes);
            if (json) {
                TopicDescription topic = admin.describeTopic(name);
                TopicPrinter.json(terminal.out(), topic);
            } else {
                terminal.out().println("changed topic=" + name + " " + changes);
            }
        }
        return 0;
    }
}
