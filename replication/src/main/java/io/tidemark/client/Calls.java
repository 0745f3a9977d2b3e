package io.tidemark.client;

import io.tidemark.wire.MessageWriter;
import java.util.ArrayList;
import java.util.List;

/** The calls that are under way. Owned by the client's thread. */
final class Calls {
    private final List<Call<?>> calls = new ArrayList<>();
    private final MessageWriter writer = new MessageWriter();
    private final BrokerLinks links;

    /**
     * No calls.
     *
     * @param links to ask by
     */
    Calls(BrokerLinks links) {
        this.links = links;
    }

    /**
     * Begins a call.
     *
     * @param call not begun before
     * @param <C> kind of call
     * @return it
     */
    <C extends Call<?>> C add(C call) {
        calls.add(call);
        return call;
    }

    /**
     * Whether calls are under way.
     *
     * @return false if there is nothing to do
     */
    boolean isBusy() {
        return !calls.isEmpty();
    }

    /**
     * Goes on with all calls.
     *
     * @param view what is known
     * @param nowNs now
     */
    void tick(ClusterView view, long nowNs) {
        // Ends of calls may begin others, which have their first turn in the next cycle.
        for (int i = calls.size() - 1; i >= 0; i--) {
            if (calls.get(i).tick(view, links, writer, nowNs)) {
                calls.remove(i);
            }
        }
    }

    /**
     * Fails all calls.
     *
     * @param failure why
     */
    void failAll(TidemarkException failure) {
        final List<Call<?>> ended = List.copyOf(calls);
        calls.clear();
        ended.forEach(call -> call.fail(failure));
    }
}
