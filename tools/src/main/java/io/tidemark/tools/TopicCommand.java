package io.tidemark.tools;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tidemark topic}: the group of the commands on topics. */
@Command(name = "topic", description = "Creates, lists, describes and changes topics.")
final class TopicCommand implements Runnable {
    @Spec
    private @Nullable CommandSpec spec;

    /** Called by the command line. */
    TopicCommand() {}

    @Override
    public void run() {
        if (spec != null) {
            throw new ParameterException(
                    spec.commandLine(),
                    "a command is missing: create, list, describe, add-partitions, alter, delete, reassign,"
                            + " elect-preferred or elect-unclean");
        }
    }
}
