package io.tidemark.sim;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Runs seeds from the command line, and tells what was found. Ends with 0 if no invariant was broken, 1 if one was,
 * with 2 if the arguments are wrong.
 */
public final class Simulate {
    private static final String USAGE =
            "usage: simulate [--seeds N] [--seed S] [--mutant NAME|all] [--trace] [--no-shrink]";

    private static final String COMMIT = System.getProperty("tidemark.commit", "unknown");
    private static final Set<String> FLAGS = Set.of("--trace", "--no-shrink");
    private static final Set<String> VALUES = Set.of("--seeds", "--seed", "--mutant");

    private final Map<String, Integer> sometimes = new TreeMap<>();
    private final List<SimResult> results = new ArrayList<>();
    private final List<Long> failures = new ArrayList<>();

    Simulate() {}

    /** Runs the simulator and ends the process with its result. */
    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }

    /** Runs the simulator; gives the code to end with. */
    public static int run(String... arguments) {
        Map<String, String> options = new LinkedHashMap<>();
        List<String> words = new ArrayList<>(Arrays.asList(arguments));
        while (!words.isEmpty()) {
            String word = words.remove(0);
            if (FLAGS.contains(word)) {
                options.put(word, "");
            } else if (VALUES.contains(word) && !words.isEmpty()) {
                options.put(word, words.remove(0));
            } else {
                Output.line(USAGE + "; not understood: " + word);
                return 2;
            }
        }
        try {
            long seed = Long.parseLong(options.getOrDefault("--seed", Long.toString(freshSeed())));
            int seeds = Integer.parseInt(options.getOrDefault("--seeds", "1"));
            String mutant = options.get("--mutant");
            return mutant != null
                    ? runMutants(mutant, options.containsKey("--seed") ? seed : -1)
                    : new Simulate()
                            .runAll(seed, seeds, options.containsKey("--trace"), !options.containsKey("--no-shrink"));
        } catch (NumberFormatException wrong) {
            Output.line(USAGE + "; " + wrong.getMessage());
            return 2;
        }
    }

    private static long freshSeed() {
        return System.nanoTime() & 0xffff_ffffL;
    }

    private static int runMutants(String name, long firstSeed) {
        int tried = 0;
        int killed = 0;
        for (Mutant mutant : Mutants.all()) {
            if (name.equals("all") || name.equals(mutant.name())) {
                MutantReport report = MutantReport.of(mutant, firstSeed < 0 ? mutant.firstSeed() : firstSeed);
                Output.line(report.toString());
                tried++;
                killed += report.isKilled() ? 1 : 0;
            }
        }
        if (tried == 0) {
            Output.line("no such mutant: " + name + "; there are:");
            Mutants.all().forEach(mutant -> Output.line("  " + mutant.name()));
            return 2;
        }
        Output.line("mutants " + tried + ", killed " + killed);
        return tried == killed ? 0 : 1;
    }

    /** Runs seeds, and prints what came of them; gives 0 if all passed. */
    int runAll(long first, int count, boolean prints, boolean shrinks) {
        Output.line("simulating: seeds=" + first + ".." + (first + count - 1) + ", commit=" + COMMIT
                + "; replay one with: ./tidemark simulate --seed S --trace");
        int threads = prints ? 1 : Math.min(count, Runtime.getRuntime().availableProcessors());
        ExecutorService executor = Executors.newFixedThreadPool(Math.max(1, threads));
        try {
            List<Future<SimResult>> runs = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                long seed = first + i;
                runs.add(executor.submit(() -> runOne(seed, prints, shrinks)));
            }
            for (Future<SimResult> run : runs) {
                take(run.get());
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            Output.line("interrupted");
        } catch (ExecutionException thrown) {
            throw new IllegalStateException("a run could not be made", thrown);
        } finally {
            executor.shutdownNow();
        }
        summarize();
        return failures.isEmpty() && results.size() == count ? 0 : 1;
    }

    /** A run has a thread to itself; what failed is shortened there too. */
    private static SimResult runOne(long seed, boolean prints, boolean shrinks) {
        try (SimFolder folder = new SimFolder()) {
            SimRun run = SimRun.of(seed, folder.next(), prints);
            SimResult result = run.run();
            return shrinks ? Shrinker.shrink(run, result, folder) : result;
        }
    }

    private void take(SimResult result) {
        results.add(result);
        result.sometimes().forEach((state, times) -> sometimes.merge(state, times, Integer::sum));
        if (result.violation() != null) {
            failures.add(result.seed());
            report(result, Knobs.of(result.seed()));
        }
    }

    /** Everything that whoever looks for the cause needs. */
    static void report(SimResult result, Knobs knobs) {
        Output.line("");
        Output.line("FAILED " + result.violation());
        Output.line("  seed    " + result.seed());
        Output.line("  commit  " + COMMIT);
        Output.line("  replay  ./tidemark simulate --seed " + result.seed() + " --trace");
        Output.line("  knobs   " + knobs);
        Output.line("  faults  " + result.faults().size());
        result.faults().forEach(fault -> Output.line("    " + fault));
        result.lastLines()
                .subList(
                        Math.max(0, result.lastLines().size() - 60),
                        result.lastLines().size())
                .forEach(line -> Output.line("  " + line));
        result.table().forEach(line -> Output.line("  " + line));
        Throwable cause = result.violation() == null ? null : result.violation().getCause();
        for (int depth = 0; cause != null && depth < 3; depth++) {
            Output.line("  caused by " + cause);
            for (int i = 0; i < Math.min(12, cause.getStackTrace().length); i++) {
                Output.line("    at " + cause.getStackTrace()[i]);
            }
            cause = cause.getCause();
        }
    }

    /** How many of the runs say something. */
    long counting() {
        return results.stream().filter(SimResult::counts).count();
    }

    private void summarize() {
        int unavailable = 0;
        long steps = 0;
        long hash = 0;
        int[] acks = new int[results.size()];
        int[] changes = new int[results.size()];
        int[] kinds = new int[results.size()];
        for (int i = 0; i < results.size(); i++) {
            SimResult result = results.get(i);
            unavailable += result.unavailable() ? 1 : 0;
            steps += result.steps();
            hash = hash * 31 + result.hash();
            acks[i] = result.acks();
            changes[i] = result.leaderChanges();
            kinds[i] = result.faultKinds().size();
        }
        Output.line("");
        Output.line(
                "runs " + results.size() + ", counting " + counting() + ", without a leader at the end " + unavailable
                        + ", steps " + steps + ", trace " + Long.toHexString(hash) + ", failed " + failures.size() + " "
                        + failures);
        Output.line("  acks per run           " + distribution(acks));
        Output.line("  leader changes per run " + distribution(changes));
        Output.line("  kinds of faults        " + distribution(kinds));
        sometimes.forEach((state, times) -> Output.line(String.format("  %8d  %s", times, state)));
        for (String wanted : Sometimes.WANTED) {
            if (!sometimes.containsKey(wanted)) {
                Output.line("     never  " + wanted);
            }
        }
    }

    private static String distribution(int[] values) {
        int[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted.length == 0
                ? "none"
                : "min " + sorted[0] + ", p10 " + sorted[sorted.length / 10] + ", median " + sorted[sorted.length / 2]
                        + ", p90 " + sorted[sorted.length * 9 / 10] + ", max " + sorted[sorted.length - 1];
    }
}
