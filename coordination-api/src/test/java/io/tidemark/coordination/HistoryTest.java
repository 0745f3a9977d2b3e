package io.tidemark.coordination;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The check of histories must see what is wrong, or it proves nothing. */
final class HistoryTest {
    private static final Key KEY = Key.of("/h/0");
    private static final byte[] VALUE = "v".getBytes(StandardCharsets.UTF_8);
    private static final Version FIRST = new Version(5, 5, 1);
    private static final Version SECOND = new Version(5, 7, 2);

    private static History.Write create(long invoked, long returned) {
        return new History.Write(
                invoked,
                returned,
                Txn.builder().create(KEY, VALUE).build(),
                new TxnResult.Committed(5, List.of(FIRST)));
    }

    private static History.Write update(long invoked, long returned, Version expected) {
        return new History.Write(
                invoked,
                returned,
                Txn.builder().update(KEY, VALUE, expected).build(),
                new TxnResult.Committed(7, List.of(SECOND)));
    }

    private static History history(History.Call... calls) {
        History history = new History();
        for (History.Call call : calls) {
            history.add(call);
        }
        return history;
    }

    // A read that runs beside a write may see it or not.
    @Test
    void shouldAcceptEitherOrderOfWhatOverlaps() {
        history(create(1, 2), update(3, 8, FIRST), new History.Read(4, 5, KEY, Optional.of(FIRST)))
                .check(true);
        history(create(1, 2), update(3, 8, FIRST), new History.Read(4, 5, KEY, Optional.of(SECOND)))
                .check(true);
    }

    @Test
    void shouldRefuseAReadOfThePast() {
        History stale = history(create(1, 2), update(3, 4, FIRST), new History.Read(5, 6, KEY, Optional.of(FIRST)));
        assertThrows(AssertionError.class, () -> stale.check(true));
        History absent = history(create(1, 2), new History.Read(3, 4, KEY, Optional.empty()));
        assertThrows(AssertionError.class, () -> absent.check(true));
    }

    // Two reads one after the other during a write: the second may not go back.
    @Test
    void shouldRefuseReadsThatGoBack() {
        History back = history(
                create(1, 2),
                update(3, 20, FIRST),
                new History.Read(4, 5, KEY, Optional.of(SECOND)),
                new History.Read(6, 7, KEY, Optional.of(FIRST)));
        assertThrows(AssertionError.class, () -> back.check(true));
    }

    @Test
    void shouldRefuseAReadOfTheFuture() {
        History future = history(create(1, 2), new History.Read(3, 4, KEY, Optional.of(SECOND)), update(5, 6, FIRST));
        assertThrows(AssertionError.class, () -> future.check(true));
    }

    // A lost update: both writers started from the same version.
    @Test
    void shouldRefuseAWriteAgainstItsCondition() {
        History lost = history(
                create(1, 2),
                update(3, 4, FIRST),
                new History.Write(
                        3,
                        5,
                        Txn.builder().update(KEY, VALUE, FIRST).build(),
                        new TxnResult.Committed(9, List.of(new Version(5, 9, 3)))));
        assertThrows(AssertionError.class, () -> lost.check(true));
    }

    @Test
    void shouldRefuseAConflictWithoutReason() {
        History denied = history(
                create(1, 2),
                new History.Write(
                        3,
                        4,
                        Txn.builder().update(KEY, VALUE, FIRST).build(),
                        new TxnResult.Conflict(0, TxnResult.Kind.VERSION)));
        assertThrows(AssertionError.class, () -> denied.check(true));
    }
}
