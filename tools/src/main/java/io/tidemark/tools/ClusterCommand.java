package io.tidemark.tools;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tidemark cluster}: the group of the commands on the cluster as a whole. */
@Command(name = "cluster", description = "Describes the cluster.")
final class ClusterCommand implements Runnable {
    @Spec
    private @Nullable CommandSpec spec;

    /** Called by the command line. */
    ClusterCommand() {}

    @Override
    public void run() {
        if (spec != null) {
            throw new ParameterException(spec.commandLine(), "a command is missing: describe");
        }
    }
}
