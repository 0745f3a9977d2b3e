package io.tidemark.tools;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tidemark coordination}: the group of the commands on coordination services. */
@Command(name = "coordination", description = "Checks a coordination service.")
final class CoordinationCommand implements Runnable {
    @Spec
    private @Nullable CommandSpec spec;

    /** Called by the command line. */
    CoordinationCommand() {}

    @Override
    public void run() {
        if (spec != null) {
            throw new ParameterException(spec.commandLine(), "a command is missing: check");
        }
    }
}
