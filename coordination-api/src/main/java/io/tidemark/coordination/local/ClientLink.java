package io.tidemark.coordination.local;

import io.tidemark.coordination.CoordinationException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The way between one client and its store, with the faults put on it. Guarded by the store's lock. */
final class ClientLink {
    /** Whether messages get through. */
    enum Mode {
        /** They do. */
        UP,
        /** The connection is broken, and the client knows. */
        DOWN,
        /** Messages vanish both ways, and the client only notices the silence. */
        SILENT
    }

    /** When a fault strikes a transaction. */
    enum Drop {
        /** The request is lost: nothing is applied. */
        BEFORE_COMMIT,
        /** The answer is lost: the transaction is applied. */
        AFTER_COMMIT,
        /** The request is late: the client gives up before it is applied. */
        DELAYED
    }

    /**
     * A call whose request vanished.
     *
     * @param deadlineNs when it ends, by the client's clock
     * @param end fails the call
     */
    record HungCall(long deadlineNs, Runnable end) {}

    private final Map<Long, Drop> drops = new HashMap<>();
    private final Deque<CoordinationException> failures = new ArrayDeque<>();
    private final List<HungCall> hungCalls = new ArrayList<>();
    private final List<Runnable> delayedRequests = new ArrayList<>();
    private final List<Runnable> heldDeliveries = new ArrayList<>();
    private Mode mode = Mode.UP;
    private boolean holdsDeliveries;
    private long sentTxns;

    /**
     * Whether messages get through.
     *
     * @return the mode
     */
    Mode mode() {
        return mode;
    }

    /**
     * Changes whether messages get through.
     *
     * @param mode what gets through
     */
    void setMode(Mode mode) {
        this.mode = mode;
    }

    /**
     * Plans a fault for one of the next transactions.
     *
     * @param drop what happens to it
     * @param nth which one; 1 is the next that is sent
     */
    void addDrop(Drop drop, int nth) {
        if (nth < 1) {
            throw new IllegalArgumentException("the next transaction is number 1: nth=" + nth);
        }
        drops.put(sentTxns + nth, drop);
    }

    /**
     * The fault planned for a transaction that is sent now.
     *
     * @return the fault, or null
     */
    @Nullable
    Drop takeDrop() {
        sentTxns++;
        return drops.remove(sentTxns);
    }

    /**
     * Keeps a request that is late.
     *
     * @param request applies it
     */
    void delay(Runnable request) {
        delayedRequests.add(request);
    }

    /**
     * Takes the requests that are late.
     *
     * @return what applies them, in order
     */
    List<Runnable> takeDelayed() {
        List<Runnable> requests = List.copyOf(delayedRequests);
        delayedRequests.clear();
        return requests;
    }

    /**
     * Plans a failure for the next call.
     *
     * @param failure what the call fails with
     */
    void addFailure(CoordinationException failure) {
        failures.add(failure);
    }

    /**
     * The failure planned for a call that is made now, or null.
     *
     * @return the failure, or null
     */
    @Nullable
    CoordinationException takeFailure() {
        return failures.poll();
    }

    /** Forgets what is planned for transactions and calls to come. */
    void clearPlans() {
        drops.clear();
        failures.clear();
    }

    /**
     * Leaves a call without an answer.
     *
     * @param call the call
     */
    void hang(HungCall call) {
        hungCalls.add(call);
    }

    /**
     * Tells whether calls wait for their deadline.
     *
     * @return true if there are any
     */
    boolean hasHungCalls() {
        return !hungCalls.isEmpty();
    }

    /**
     * Takes the calls whose deadline has passed.
     *
     * @param nowNs the present, by the client's clock
     * @return what ends them
     */
    List<Runnable> takeOverdue(long nowNs) {
        List<Runnable> ends = new ArrayList<>();
        for (Iterator<HungCall> calls = hungCalls.iterator(); calls.hasNext(); ) {
            HungCall call = calls.next();
            if (call.deadlineNs() - nowNs <= 0) {
                ends.add(call.end());
                calls.remove();
            }
        }
        return ends;
    }

    /**
     * Takes all calls without an answer.
     *
     * @return what ends them
     */
    List<Runnable> takeHung() {
        List<Runnable> ends = hungCalls.stream().map(HungCall::end).toList();
        hungCalls.clear();
        return ends;
    }

    /** Keeps the deliveries to watches from now on. */
    void holdDeliveries() {
        holdsDeliveries = true;
    }

    /**
     * Tells whether deliveries to watches are kept.
     *
     * @return true if they are
     */
    boolean holdsDeliveries() {
        return holdsDeliveries;
    }

    /**
     * Keeps one delivery.
     *
     * @param delivery hands the state to the watch
     */
    void keep(Runnable delivery) {
        heldDeliveries.add(delivery);
    }

    /**
     * Ends the keeping.
     *
     * @return what was kept, in order
     */
    List<Runnable> releaseDeliveries() {
        holdsDeliveries = false;
        return dropDeliveries();
    }

    /**
     * Takes what was kept, to be forgotten when the connection breaks.
     *
     * @return what was kept, in order
     */
    List<Runnable> dropDeliveries() {
        List<Runnable> kept = List.copyOf(heldDeliveries);
        heldDeliveries.clear();
        return kept;
    }
}
