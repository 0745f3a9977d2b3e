package io.tidemark.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;

/**
 * Random sequences of operations on a log, through clean and unclean restarts and power failures, beside a plain list.
 * jqwik makes a failing sequence short and prints it. Other sequences: {@code -Dtidemark.model.seed=N}.
 */
class LogAgainstModelTest {
    private static final String SEED = "tidemark.model.seed";
    private static final long SALT = Long.getLong(SEED, 0);

    /** What is done. */
    enum Kind {
        LEAD,
        FOLLOW,
        ROLL,
        FLUSH,
        MAINTAIN,
        BEGIN_EPOCH,
        TRUNCATE,
        EMPTY,
        READ,
        LOOK_UP,
        CLEAN_RESTART,
        KILL,
        POWER_FAILURE
    }

    /** One operation. */
    record Operation(Kind kind, int number) {
        int below(int bound) {
            return (int) Math.floorMod(number + SALT * 7919, (long) bound);
        }
    }

    @Provide
    Arbitrary<List<Operation>> operations() {
        final Arbitrary<Kind> kinds = Arbitraries.frequency(
                net.jqwik.api.Tuple.of(30, Kind.LEAD),
                net.jqwik.api.Tuple.of(20, Kind.FOLLOW),
                net.jqwik.api.Tuple.of(5, Kind.ROLL),
                net.jqwik.api.Tuple.of(6, Kind.FLUSH),
                net.jqwik.api.Tuple.of(8, Kind.MAINTAIN),
                net.jqwik.api.Tuple.of(3, Kind.BEGIN_EPOCH),
                net.jqwik.api.Tuple.of(8, Kind.TRUNCATE),
                net.jqwik.api.Tuple.of(1, Kind.EMPTY),
                net.jqwik.api.Tuple.of(6, Kind.READ),
                net.jqwik.api.Tuple.of(6, Kind.LOOK_UP),
                net.jqwik.api.Tuple.of(2, Kind.CLEAN_RESTART),
                net.jqwik.api.Tuple.of(2, Kind.KILL),
                net.jqwik.api.Tuple.of(3, Kind.POWER_FAILURE));
        return Combinators.combine(kinds, Arbitraries.integers().between(0, 1 << 20))
                .as(Operation::new)
                .list()
                .ofMinSize(20)
                .ofMaxSize(160);
    }

    // D-01, D-08, D-09, D-11, ST-01, ST-05.
    @Property(tries = 120, seed = "20261201", shrinking = ShrinkingMode.BOUNDED)
    void shouldDoWhatAListDoes(@ForAll("operations") List<Operation> operations) throws IOException {
        final Path folder = MemoryDisk.createFolder();
        try (ModelledLog log = new ModelledLog(folder)) {
            for (int i = 0; i < operations.size(); i++) {
                final Operation operation = operations.get(i);
                log.what = "salt=" + SALT + ", step=" + i + " " + operation;
                run(log, operation);
                log.check();
            }
        } finally {
            deleteAll(folder);
        }
    }

    private static void run(ModelledLog log, Operation operation) throws IOException {
        switch (operation.kind()) {
            case LEAD -> log.lead(1 + operation.below(3), operation.below(8) == 7);
            case FOLLOW -> log.follow(1 + operation.below(3), operation.below(10) == 9 ? operation.below(9) : 0);
            case ROLL -> log.roll();
            case FLUSH -> log.flush();
            case MAINTAIN -> log.maintain();
            case BEGIN_EPOCH -> log.beginEpoch();
            case TRUNCATE -> log.truncate(operation.below(3) == 0 ? operation.below(100) : operation.below(6));
            case EMPTY -> log.empty(operation.below(50));
            case READ -> log.read(operation.below(1 << 10), operation.below(3000));
            case LOOK_UP -> log.lookUp(operation.below(1 << 10));
            case CLEAN_RESTART -> log.restart();
            case KILL -> log.kill();
            case POWER_FAILURE -> log.failPower(operation.number() + SALT);
        }
    }

    private static void deleteAll(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (final Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // The edges of what can be read, one by one.
    @Property(tries = 20, seed = "20261202")
    void shouldReadAtEveryEdge(@ForAll("operations") List<Operation> operations) throws IOException {
        final Path folder = MemoryDisk.createFolder();
        try (ModelledLog log = new ModelledLog(folder)) {
            log.what = "salt=" + SALT;
            for (final Operation operation : operations) {
                run(log, operation);
            }
            final Log real = log.real();
            try (LogSlice slice = new LogSlice()) {
                for (long at = real.logStartOffset(); at < real.logEndOffset(); at++) {
                    final boolean isRead = real.read(at, 1, Long.MAX_VALUE, slice);
                    assertEquals(log.holdsFrom(at), isRead);
                    assertTrue(!isRead || slice.nextOffset() > at);
                    assertFalse(real.read(at, 1, at, slice), "a limit at the offset itself");
                }
                assertFalse(real.read(real.logEndOffset(), 1, Long.MAX_VALUE, slice));
                assertThrows(
                        OffsetOutOfRangeException.class,
                        () -> real.read(real.logEndOffset() + 1, 1, Long.MAX_VALUE, slice));
                assertThrows(
                        OffsetOutOfRangeException.class,
                        () -> real.read(real.logStartOffset() - 1, 1, Long.MAX_VALUE, slice));
            }
        } finally {
            deleteAll(folder);
        }
    }
}
