package io.tidemark.tools;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tidemark topic reassign}: the group of the commands that move replicas. */
@Command(name = "reassign", description = "Moves replicas to other brokers.")
final class ReassignCommand implements Runnable {
    @Spec
    private @Nullable CommandSpec spec;

    /** Called by the command line. */
    ReassignCommand() {}

    @Override
    public void run() {
        if (spec != null) {
            throw new ParameterException(spec.commandLine(), "a command is missing: plan, start, status or cancel");
        }
    }
}
