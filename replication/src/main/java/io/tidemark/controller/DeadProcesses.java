package io.tidemark.controller;

import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The processes that were found dead although they are registered, each with those who found it: their connection with
 * it broke <em>and</em> its port was refused, or answered by another process, to each of them by itself.
 *
 * <p>Two witnesses are needed, the controller among them, and one of the two in the partition's stored ISR: what one
 * broker alone sees may be its own network. A death is that of one incarnation, which never comes back; so the evidence
 * serves at most once for each partition, however often a process restarts.
 *
 * <p>Owned by the controller's core; not thread-safe. Bounded by the number of brokers.
 */
final class DeadProcesses {
    /** Witnesses that must agree. */
    static final int WITNESSES_MIN = 2;

    private final Map<Integer, Death> deaths = new HashMap<>();

    private record Death(long incarnation, Set<Replica> witnesses) {}

    /** No process is known to be dead. */
    DeadProcesses() {}

    /**
     * Takes evidence, added to what is known of the same process.
     *
     * @param process the dead process
     * @param witnesses processes that found it dead
     * @return false if nothing is new in it
     */
    boolean add(Replica process, Collection<Replica> witnesses) {
        Death known = deaths.get(process.broker());
        if (known != null && known.incarnation > process.incarnation()) {
            return false;
        }
        Set<Replica> all = new HashSet<>();
        if (known != null && known.incarnation == process.incarnation()) {
            all.addAll(known.witnesses);
        }
        int before = all.size();
        all.addAll(witnesses);
        all.removeIf(witness -> witness.broker() == process.broker());
        deaths.put(process.broker(), new Death(process.incarnation(), all));
        return all.size() > before;
    }

    /**
     * Whether the death of a partition's leader is proven to the satisfaction of that partition.
     *
     * @param state the stored record
     * @return true with two witnesses, one of which is in the stored ISR in that very incarnation
     */
    boolean isProven(PartitionState state) {
        Replica leader = state.leader();
        Death death = deaths.get(leader.broker());
        return death != null
                && death.incarnation == leader.incarnation()
                && death.witnesses.size() >= WITNESSES_MIN
                && state.isr().stream().anyMatch(death.witnesses::contains);
    }

    /**
     * The registered brokers without those that are dead.
     *
     * @param brokers all registered brokers by id
     * @return the others, a copy
     */
    Map<Integer, BrokerRegistration> without(Map<Integer, BrokerRegistration> brokers) {
        Map<Integer, BrokerRegistration> living = new TreeMap<>(brokers);
        living.values().removeIf(broker -> {
            Death death = deaths.get(broker.broker());
            return death != null
                    && death.incarnation >= broker.incarnation()
                    && death.witnesses.size() >= WITNESSES_MIN;
        });
        return living;
    }
}
