package io.tidemark.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bugs that are put back on purpose: the simulator finds each, by what it breaks, within its number of seeds. */
class MutantTest {
    // A simulator that does not find a known bug is not to be trusted. A seed counts only if the unchanged code passes
    // it.
    @Test
    @Timeout(value = 600, unit = TimeUnit.SECONDS)
    void shouldFindEveryBugThatIsPutBack() throws Exception {
        List<Mutant> mutants =
                Mutants.all().stream().filter(mutant -> mutant.open().isEmpty()).toList();
        Mutants.all().stream()
                .filter(mutant -> !mutant.open().isEmpty())
                .forEach(mutant -> Output.line("not tried: " + mutant.name() + ": " + mutant.open()));
        ExecutorService executor = Executors.newFixedThreadPool(2);
        int seeds = 0;
        List<String> alive = new ArrayList<>();
        try {
            List<Future<MutantReport>> runs = new ArrayList<>();
            for (Mutant mutant : mutants) {
                runs.add(executor.submit(() -> {
                    MutantReport report = MutantReport.of(mutant, mutant.firstSeed());
                    Output.line(report.toString());
                    return report;
                }));
            }
            for (Future<MutantReport> run : runs) {
                MutantReport report = run.get();
                seeds += report.seeds();
                if (!report.isKilled()) {
                    alive.add(report.mutant().name());
                }
            }
        } finally {
            executor.shutdownNow();
        }
        Output.line("mutants " + mutants.size() + ", killed " + (mutants.size() - alive.size()) + ", seeds " + seeds);
        assertEquals(List.of(), alive);
        assertTrue(mutants.size() >= 10, () -> "mutants=" + mutants.size());
    }
}
