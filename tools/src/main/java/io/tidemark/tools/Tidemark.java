package io.tidemark.tools;

import io.tidemark.tools.system.Terminal;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The command {@code tidemark}. */
@Command(
        name = "tidemark",
        description = "A replicated, partitioned commit log: brokers, topics, records, log files, and a demo.",
        mixinStandardHelpOptions = true,
        scope = ScopeType.INHERIT,
        versionProvider = VersionText.class,
        usageHelpAutoWidth = true,
        footerHeading = "%nExit codes: 0 all is well, 1 it failed, 2 wrong usage.%n")
public final class Tidemark implements Runnable {
    /** The property that logback.xml reads: the least important level that is shown. */
    private static final String LOG_LEVEL = "tidemark.log.level";

    /** Kept here, as the JDK forgets the level of a logger that nobody holds. */
    private static final Logger GRPC = Logger.getLogger("io.grpc");

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--debug",
            scope = ScopeType.INHERIT,
            description = "Show stack traces of errors (as does the environment variable TIDEMARK_DEBUG).")
    private boolean debug;

    private Tidemark() {}

    /**
     * Runs a command and ends the process with its exit code.
     *
     * @param args the command and its arguments
     */
    public static void main(String[] args) {
        if (System.getProperty(LOG_LEVEL) == null) {
            System.setProperty(LOG_LEVEL, args.length > 0 && args[0].equals("broker") ? "INFO" : "WARN");
        }
        // It tells at INFO, past our log, that it found a socket of its liking.
        GRPC.setLevel(Level.WARNING);
        System.exit(run(Terminal.standard(), args));
    }

    /**
     * Runs a command.
     *
     * @param terminal where it reads and writes
     * @param args the command and its arguments
     * @return the exit code
     */
    static int run(Terminal terminal, String... args) {
        Tidemark root = new Tidemark();
        CommandLine line = new CommandLine(root)
                .addSubcommand(new BrokerCommand(terminal))
                .addSubcommand(new CommandLine(new TopicCommand())
                        .addSubcommand(new TopicCreateCommand(terminal))
                        .addSubcommand(new TopicListCommand(terminal))
                        .addSubcommand(new TopicDescribeCommand(terminal))
                        .addSubcommand(new TopicAddPartitionsCommand(terminal))
                        .addSubcommand(new TopicAlterCommand(terminal))
                        .addSubcommand(new TopicDeleteCommand(terminal))
                        .addSubcommand(new CommandLine(new ReassignCommand())
                                .addSubcommand(new ReassignPlanCommand(terminal))
                                .addSubcommand(new ReassignStartCommand(terminal))
                                .addSubcommand(new ReassignStatusCommand(terminal))
                                .addSubcommand(new ReassignCancelCommand(terminal)))
                        .addSubcommand(new TopicElectPreferredCommand(terminal))
                        .addSubcommand(new TopicElectUncleanCommand(terminal)))
                .addSubcommand(
                        new CommandLine(new ClusterCommand()).addSubcommand(new ClusterDescribeCommand(terminal)))
                .addSubcommand(new ProduceCommand(terminal))
                .addSubcommand(new ConsumeCommand(terminal))
                .addSubcommand(new CommandLine(new LogCommand())
                        .addSubcommand(new LogDumpCommand(terminal))
                        .addSubcommand(new LogVerifyCommand(terminal))
                        .addSubcommand(new LogRecoverCommand(terminal)))
                .addSubcommand(new CommandLine(new CoordinationCommand())
                        .addSubcommand(new CoordinationCheckCommand(terminal)))
                .addSubcommand(new DemoCommand(terminal))
                .addSubcommand(new DrillCommand(terminal))
                .addSubcommand(new SimulateCommand(terminal))
                .addSubcommand(new ZooKeeperCommand(terminal));
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setOut(new PrintWriter(terminal.out(), true, StandardCharsets.UTF_8));
        line.setErr(new PrintWriter(terminal.err(), true, StandardCharsets.UTF_8));
        Errors errors = new Errors(terminal, () -> root.debug || System.getenv("TIDEMARK_DEBUG") != null);
        line.setParameterExceptionHandler(errors);
        line.setExecutionExceptionHandler(errors);
        int exitCode = line.execute(args);
        terminal.out().flush();
        return exitCode;
    }

    /** Without a command there is nothing to do: explains that. */
    @Override
    public void run() {
        if (spec != null) {
            throw new ParameterException(spec.commandLine(), "a command is missing");
        }
    }
}
