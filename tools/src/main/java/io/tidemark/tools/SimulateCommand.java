package io.tidemark.tools;

import io.tidemark.tools.system.CommandFailure;
import io.tidemark.tools.system.Terminal;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code tidemark simulate}: runs the simulator. It lies in the test-jar of {@code tidemark-replication}, so that no
 * user of the library carries it, and is found here at run time.
 */
@Command(
        name = "simulate",
        description = {
            "Runs whole clusters in one thread on simulated time, with faults drawn from a seed, and judges every"
                    + " step.",
            "A seed that fails is printed with its shortest list of faults; the same seed gives the same run again."
        })
final class SimulateCommand implements Callable<Integer> {
    private static final String SIMULATOR = "io.tidemark.sim.Simulate";
    private static final long NO_SEED = Long.MIN_VALUE;

    private final Terminal terminal;

    @Option(names = "--seeds", paramLabel = "N", description = "How many seeds to run. Default: ${DEFAULT-VALUE}.")
    private int seeds = 20;

    @Option(names = "--seed", paramLabel = "S", description = "The first seed. Default: a fresh one.")
    private long seed = NO_SEED;

    @Option(
            names = "--mutant",
            paramLabel = "NAME",
            description = "Put a known bug back, and see that it is found: its name, or 'all'.")
    private String mutant = "";

    @Option(names = "--trace", description = "Print what happens.")
    private boolean trace;

    /**
     * Prepares the command.
     *
     * @param terminal where it writes
     */
    SimulateCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        List<String> arguments = new ArrayList<>(List.of("--seeds", Integer.toString(seeds)));
        if (seed != NO_SEED) {
            arguments.addAll(List.of("--seed", Long.toString(seed)));
        }
        if (!mutant.isEmpty()) {
            arguments.addAll(List.of("--mutant", mutant));
        }
        if (trace) {
            arguments.add("--trace");
        }
        terminal.out().flush();
        try {
            Object exitCode = Class.forName(SIMULATOR)
                    .getMethod("run", String[].class)
                    .invoke(null, (Object) arguments.toArray(String[]::new));
            return (Integer) exitCode;
        } catch (InvocationTargetException thrown) {
            throw new CommandFailure("the simulator failed: " + thrown.getCause(), thrown);
        } catch (ReflectiveOperationException missing) {
            throw new CommandFailure(
                    "the simulator is not here: class=" + SIMULATOR
                            + "; put the test-jars of tidemark-replication and tidemark-log-storage on the class path",
                    missing);
        }
    }
}
