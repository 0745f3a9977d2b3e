package io.tidemark.tools;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tidemark log}: the group of the commands on log files. */
@Command(name = "log", description = "Looks into log files and recovers them.")
final class LogCommand implements Runnable {
    @Spec
    private @Nullable CommandSpec spec;

    /** Called by the command line. */
    LogCommand() {}

    @Override
    public void run() {
        if (spec != null) {
            throw new ParameterException(spec.commandLine(), "a command is missing: dump, verify or recover");
        }
    }
}
