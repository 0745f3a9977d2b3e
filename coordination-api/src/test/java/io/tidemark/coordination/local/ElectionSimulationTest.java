package io.tidemark.coordination.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.coordination.Await;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.LeaderElection;
import io.tidemark.coordination.Leadership;
import io.tidemark.coordination.Session;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Elections under a seeded storm of faults: whatever happens, terms and fences hold, and in the end somebody leads.
 */
final class ElectionSimulationTest {
    private static final int SEEDS = 30;
    private static final int STEPS = 150;
    private static final int CANDIDATES = 3;

    private static final class Candidate {
        final Coordination client;
        Session session;
        CompletableFuture<Leadership> campaign;
        boolean reachable = true;

        Candidate(ElectionBench bench) {
            client = bench.connect();
            session = ElectionBench.openSession(client);
            campaign = bench.campaign(client, session);
        }

        Optional<Leadership> leadership() {
            return campaign.isDone() && !campaign.isCompletedExceptionally()
                    ? Optional.of(Await.value(campaign))
                    : Optional.empty();
        }

        boolean isOver() {
            return campaign.isDone()
                    && leadership()
                            .map(held -> held.lost().toCompletableFuture().isDone())
                            .orElse(true);
        }
    }

    // R=3 candidates; partitions, disconnects, lost and late requests, expiries, resignations, cancellations.
    @ParameterizedTest
    @EnumSource
    void shouldKeepTermsAndFencesUnderFaults(LeaderElection.Mode mode) {
        long first = Long.getLong("tidemark.seed", 1);
        int seeds = Long.getLong("tidemark.seed") == null ? SEEDS : 1;
        System.out.println("mode=" + mode + ", seeds from " + first + ", count=" + seeds
                + "; replay one with -Dtest=ElectionSimulationTest -Dtidemark.seed=N");
        for (long seed = first; seed < first + seeds; seed++) {
            try {
                new Run(mode, seed).play();
            } catch (AssertionError | RuntimeException failed) {
                throw new AssertionError(
                        "mode=" + mode + ", seed=" + seed
                                + "; replay with -Dtest=ElectionSimulationTest -Dtidemark.seed=" + seed,
                        failed);
            }
        }
    }

    private static final class Run {
        private final SplittableRandom random;
        private final ElectionBench bench;
        private final List<Candidate> candidates = new ArrayList<>();
        private final TreeMap<Long, Leadership> terms = new TreeMap<>();
        private int writes;

        Run(LeaderElection.Mode mode, long seed) {
            random = new SplittableRandom(seed);
            bench = new ElectionBench(mode);
        }

        void play() {
            try (bench) {
                for (int i = 0; i < CANDIDATES; i++) {
                    candidates.add(new Candidate(bench));
                }
                for (int step = 0; step < STEPS; step++) {
                    disturb(candidates.get(random.nextInt(CANDIDATES)));
                    standAgain();
                    check();
                }
                calmDown();
            }
        }

        private void disturb(Candidate candidate) {
            LocalFaults faults = bench.store.faults();
            switch (random.nextInt(11)) {
                case 0 -> faults.dropRequest(candidate.client, 1 + random.nextInt(2));
                case 1 -> faults.dropReply(candidate.client, 1 + random.nextInt(2));
                case 2 -> faults.delayRequest(candidate.client, 1 + random.nextInt(2));
                case 3 -> faults.deliverDelayed(candidate.client);
                case 4 -> {
                    faults.partition(candidate.client);
                    candidate.reachable = false;
                }
                case 5 -> {
                    faults.disconnect(candidate.client);
                    candidate.reachable = false;
                }
                case 6, 7 -> {
                    faults.heal(candidate.client);
                    candidate.reachable = true;
                }
                case 8 -> candidate.leadership().ifPresent(Leadership::resign);
                case 9 -> candidate.campaign.cancel(true);
                default -> bench.pass(Duration.ofMillis(100L * (1 + random.nextInt(20))));
            }
            if (random.nextInt(3) == 0) {
                bench.endPauses();
            }
        }

        /** A candidate whose campaign or leadership is over stands again, with a new session if needed. */
        private void standAgain() {
            for (Candidate candidate : candidates) {
                if (!candidate.isOver() || !candidate.reachable) {
                    continue;
                }
                if (candidate.session.state().isFinal() || random.nextBoolean()) {
                    candidate.session.close();
                    candidate.session = ElectionBench.openSession(candidate.client);
                }
                candidate.campaign = bench.campaign(candidate.client, candidate.session);
            }
        }

        private void check() {
            List<Leadership> valid = new ArrayList<>();
            for (Candidate candidate : candidates) {
                candidate.leadership().ifPresent(held -> {
                    Leadership other = terms.putIfAbsent(held.term(), held);
                    assertTrue(other == null || other == held, "two leaderships with one term: term=" + held.term());
                    if (held.isValid(Duration.ZERO)) {
                        valid.add(held);
                    }
                });
            }
            assertTrue(valid.size() <= 1, () -> "two valid leaders: " + valid);
            for (Leadership held : terms.values()) {
                checkGuard(held);
            }
        }

        /** Writes of an outsider with a leader's guard: only those of the last term may get through. */
        private void checkGuard(Leadership held) {
            Coordination outsider = bench.connect();
            Txn.Builder write = held.guard(Txn.builder()).create(Key.of("/writes/" + ++writes), new byte[0]);
            TxnResult result = Await.value(outsider.commit(write.build()));
            if (held.term() < ElectionBench.term(outsider)) {
                assertEquals(new TxnResult.Conflict(0, TxnResult.Kind.VERSION), result);
            } else {
                assertTrue(result.isCommitted());
            }
            outsider.close();
        }

        /** After all faults are gone, one candidate leads within a bounded time, and nobody else holds it up. */
        private void calmDown() {
            for (Candidate candidate : candidates) {
                bench.store.faults().deliverDelayed(candidate.client);
                bench.store.faults().clear(candidate.client);
                bench.store.faults().heal(candidate.client);
                candidate.reachable = true;
            }
            for (int round = 0; round < 40; round++) {
                standAgain();
                bench.endPauses();
                bench.pass(Duration.ofMillis(500));
                check();
            }
            long leaders = candidates.stream()
                    .filter(candidate -> ElectionBench.leads(candidate.campaign))
                    .count();
            assertEquals(1, leaders, () -> "somebody must lead in the end: " + describe());
        }

        private String describe() {
            StringBuilder text = new StringBuilder();
            for (Candidate candidate : candidates) {
                text.append(candidate.session)
                        .append(' ')
                        .append(candidate.campaign)
                        .append(' ')
                        .append(candidate.leadership())
                        .append(System.lineSeparator());
            }
            return text.append(bench.held(candidates.get(0).client)).toString();
        }
    }
}
