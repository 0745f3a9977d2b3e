package io.tidemark.coordination;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What several clients did at the same time, and the check that there is one order of it that explains all results and
 * keeps to the order in which calls followed each other (linearizability). Revisions make the check simple: they say
 * in which order the writes were applied. Each other call is put at the earliest revision at which its result is right
 * and which is not below that of any call that had ended before it began; as this only ever moves later calls back, an
 * order exists if and only if this one does. Any thread adds; one checks at the end.
 */
final class History {
    private final AtomicLong clock = new AtomicLong();
    private final List<Call> calls = new ArrayList<>();

    /** A call between two moments. */
    sealed interface Call {
        /** When it began. */
        long invoked();

        /** When its result was known. */
        long returned();
    }

    /** A linearizable read and the version that it saw. */
    record Read(long invoked, long returned, Key key, Optional<Version> seen) implements Call {}

    /** A transaction and its result. */
    record Write(long invoked, long returned, Txn txn, TxnResult result) implements Call {
        Optional<TxnResult.Committed> committed() {
            return result instanceof TxnResult.Committed done ? Optional.of(done) : Optional.empty();
        }
    }

    /** The next moment. */
    long tick() {
        return clock.incrementAndGet();
    }

    /** Adds a call that has ended. */
    synchronized void add(Call call) {
        calls.add(call);
    }

    /**
     * Checks all calls.
     *
     * @param strict whether a version is never met again after a deletion
     */
    synchronized void check(boolean strict) {
        NavigableMap<Long, Map<Key, Version>> states = replay(strict);
        calls.sort(Comparator.comparingLong(Call::invoked));
        List<Long> points = new ArrayList<>();
        for (Call call : calls) {
            long floor = 0;
            for (int i = 0; i < points.size(); i++) {
                if (calls.get(i).returned() < call.invoked()) {
                    floor = Math.max(floor, points.get(i));
                }
            }
            points.add(point(call, floor, states, strict));
        }
    }

    /** Applies the committed writes in the order of their revisions; gives the state after each. */
    private NavigableMap<Long, Map<Key, Version>> replay(boolean strict) {
        TreeMap<Long, Write> writes = new TreeMap<>();
        for (Call call : calls) {
            if (call instanceof Write write && write.committed().isPresent()) {
                Write other = writes.put(write.committed().get().revision(), write);
                assertEquals(null, other, "two writes with one revision: " + write);
            }
        }
        NavigableMap<Long, Map<Key, Version>> states = new TreeMap<>();
        Map<Key, Version> state = new HashMap<>();
        states.put(0L, Map.of());
        for (Map.Entry<Long, Write> each : writes.entrySet()) {
            Write write = each.getValue();
            List<TxnOp> ops = write.txn().ops();
            for (TxnOp op : ops) {
                assertTrue(holds(op, state, strict), "applied against its condition: op=" + op + ", state=" + state);
            }
            List<Version> versions = write.committed().orElseThrow().versions();
            for (int i = 0; i < ops.size(); i++) {
                apply(ops.get(i), versions.get(i), each.getKey(), state);
            }
            states.put(each.getKey(), Map.copyOf(state));
        }
        return states;
    }

    private static void apply(TxnOp op, Version version, long revision, Map<Key, Version> state) {
        switch (op.kind()) {
            case CREATE, CREATE_EPHEMERAL -> {
                assertEquals(revision, version.createRevision());
                assertEquals(revision, version.modRevision());
                state.put(op.key(), version);
            }
            case UPDATE -> {
                Version before = Objects.requireNonNull(state.get(op.key()), "the condition held");
                assertEquals(before.createRevision(), version.createRevision());
                assertEquals(revision, version.modRevision());
                state.put(op.key(), version);
            }
            case DELETE -> state.remove(op.key());
            case CHECK -> {
                // Changes nothing.
            }
        }
    }

    private static boolean holds(TxnOp op, Map<Key, Version> state, boolean strict) {
        @Nullable Version current = state.get(op.key());
        if (op.kind() == TxnOp.Kind.CREATE || op.kind() == TxnOp.Kind.CREATE_EPHEMERAL) {
            return current == null;
        }
        Version expected = op.expected();
        return current != null && (strict ? current.equals(expected) : current.casToken() == expected.casToken());
    }

    private static long point(Call call, long floor, NavigableMap<Long, Map<Key, Version>> states, boolean strict) {
        if (call instanceof Write write && write.committed().isPresent()) {
            long revision = write.committed().get().revision();
            assertTrue(revision > floor, "applied before what had ended before it began: floor=" + floor + ", " + call);
            return revision;
        }
        Predicate<Map<Key, Version>> right = call instanceof Read read
                ? state -> read.seen().equals(Optional.ofNullable(state.get(read.key())))
                : state -> explains((Write) call, state, strict);
        if (right.test(states.floorEntry(floor).getValue())) {
            return floor;
        }
        for (Map.Entry<Long, Map<Key, Version>> later :
                states.tailMap(floor, false).entrySet()) {
            if (right.test(later.getValue())) {
                return later.getKey();
            }
        }
        throw new AssertionError("no state from floor=" + floor + " on explains " + call + ": states=" + states);
    }

    /** Whether a conflict is right: the operation that it names is the first whose condition does not hold. */
    private static boolean explains(Write write, Map<Key, Version> state, boolean strict) {
        int index = ((TxnResult.Conflict) write.result()).opIndex();
        List<TxnOp> ops = write.txn().ops();
        for (TxnOp before : ops.subList(0, index)) {
            if (!holds(before, state, strict)) {
                return false;
            }
        }
        return !holds(ops.get(index), state, strict);
    }
}
