package io.tidemark.conductor;

import io.tidemark.controller.BrokerRegistration;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.ReadMode;
import io.tidemark.coordination.Txn;
import io.tidemark.metadata.MetadataFormatException;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.metadata.MetadataKeys;
import io.tidemark.partition.Replica;
import io.tidemark.transport.Transport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Knows which processes are dead long before their sessions end, and what is done about it. This broker's own evidence
 * is a broken connection and then a refused port ({@link PeerProbe}); that of others is asked for ({@link Inquiries}).
 *
 * <ul>
 *   <li>The lane is told at once, on own evidence: a leader drops a dead follower from the ISR.
 *   <li>The controller's term is told with at least one more witness: leadership moves.
 *   <li>If the dead process is the controller's, and another broker agrees, its key is deleted, so that the next one is
 *       elected. A mistake would cost an election, nothing else.
 * </ul>
 *
 * <p>Owned by the conductor. Bounded by the number of brokers and {@link #TESTIMONIES_MAX}.
 */
final class DeathWatch implements PeerProbe.Evidence {
    /** How long a question of another broker waits for this one to notice a death. */
    static final long TESTIMONY_WAIT_NS = TimeUnit.SECONDS.toNanos(2);

    /** Questions of other brokers that may wait. */
    static final int TESTIMONIES_MAX = 256;

    /** Pause after an attempt to depose a dead controller. */
    static final long DEPOSE_RETRY_NS = TimeUnit.MILLISECONDS.toNanos(250);

    private final Parts parts;
    private final Events events;
    private final CoordinationCalls calls;
    private final PeerProbe probe;
    private final Inquiries inquiries;
    private final Map<Integer, Replica> dead = new HashMap<>();
    /** What the term {@link #toldTerm} was told. */
    private final Map<Replica, Set<Replica>> told = new HashMap<>();

    private final List<Testimony> testimonies = new ArrayList<>();
    private long toldTerm = ControllerDriver.NO_TERM;
    private boolean isDeposing;
    private long nextDepositionNs;
    private long nowNs;

    /** A question that waits for this broker to notice a death. */
    private record Testimony(Replica process, Consumer<Boolean> verdict, long endNs) {}

    /** What the conductor does about it. Called on the conductor. */
    interface Events {
        /**
         * This broker has found a process dead.
         *
         * @param broker its id
         * @param incarnation its registration number, and all before it
         */
        void peerDead(int broker, long incarnation);

        /**
         * The key of a dead controller was deleted.
         *
         * @param controller its process
         * @param witnesses who found it dead besides this broker
         */
        void deposed(Replica controller, Set<Replica> witnesses);

        /**
         * A call failed and is tried again.
         *
         * @param cause why
         */
        void attemptFailed(Throwable cause);
    }

    /**
     * What the watch shares with the conductor.
     *
     * @param brokerId this broker
     * @param transport the network
     * @param hellos how the conductor presents itself
     * @param view the known brokers
     * @param controller this broker's office, if it has it
     * @param coordination the service
     */
    record Parts(
            int brokerId,
            Transport transport,
            Hellos hellos,
            ClusterView view,
            ControllerDriver controller,
            Coordination coordination) {}

    /**
     * Begins without evidence.
     *
     * @param parts what it shares with the conductor
     * @param calls carries results to the conductor
     * @param events who is told
     */
    DeathWatch(Parts parts, CoordinationCalls calls, Events events) {
        this.parts = parts;
        this.calls = calls;
        this.events = events;
        this.probe = new PeerProbe(parts.transport(), parts.hellos(), parts.view()::lastAddress, this);
        this.inquiries = new Inquiries(parts.transport(), parts.hellos());
    }

    /**
     * A connection with a process broke, or could not be made although it is registered.
     *
     * @param broker its id
     * @param incarnation its registration number
     * @param now the time
     */
    void connectionLost(int broker, long incarnation, long now) {
        nowNs = now;
        if (broker != parts.brokerId() && !isDead(broker, incarnation)) {
            probe.connectionLost(broker, incarnation, now);
        }
    }

    /**
     * Answers whether this broker has found a process dead by itself. No question of another broker makes it look: who
     * has no connection with a process has no evidence of its own.
     *
     * @param process the process
     * @param verdict is given true now or when the death is noticed in time, else false
     */
    void testify(Replica process, Consumer<Boolean> verdict) {
        if (isDead(process.broker(), process.incarnation()) || testimonies.size() >= TESTIMONIES_MAX) {
            verdict.accept(isDead(process.broker(), process.incarnation()));
        } else {
            testimonies.add(new Testimony(process, verdict, nowNs + TESTIMONY_WAIT_NS));
        }
    }

    /**
     * Moves questions on, and acts on what was confirmed.
     *
     * @param now the time
     * @return count of things done
     */
    int tick(long now) {
        nowNs = now;
        int count = probe.tick(now) + inquiries.tick(now) + answer();
        if (dead.isEmpty()) {
            return count;
        }
        long term = parts.controller().term();
        if (term != toldTerm) {
            told.clear();
            toldTerm = term;
        }
        for (Replica process : List.copyOf(dead.values())) {
            if (isRegistered(process)) {
                count += act(process, term);
            }
        }
        return count;
    }

    /**
     * Whether something is to be done soon.
     *
     * @return true while anybody is asked or waits for an answer
     */
    boolean isBusy() {
        return probe.openCount() > 0 || inquiries.openCount() > 0 || !testimonies.isEmpty();
    }

    @Override
    public void peerDead(int broker, long incarnation) {
        Replica known = dead.get(broker);
        if (known == null || known.incarnation() < incarnation) {
            dead.put(broker, new Replica(broker, incarnation));
            events.peerDead(broker, incarnation);
        }
    }

    private boolean isDead(int broker, long incarnation) {
        Replica known = dead.get(broker);
        return known != null && known.incarnation() >= incarnation;
    }

    private boolean isRegistered(Replica process) {
        KnownBroker known = parts.view().broker(process.broker());
        return known != null && known.registration().incarnation() == process.incarnation();
    }

    private int answer() {
        int count = 0;
        for (Iterator<Testimony> all = testimonies.iterator(); all.hasNext(); ) {
            Testimony testimony = all.next();
            Replica process = testimony.process();
            boolean isSeen = isDead(process.broker(), process.incarnation());
            if (isSeen || testimony.endNs() - nowNs <= 0) {
                all.remove();
                testimony.verdict().accept(isSeen);
                count++;
            }
        }
        return count;
    }

    private int act(Replica process, long term) {
        boolean isController = parts.view().controllerBroker() == process.broker();
        if (term == ControllerDriver.NO_TERM && !isController) {
            return 0;
        }
        List<BrokerRegistration> others =
                new ArrayList<>(parts.view().registrations().values());
        others.removeIf(other -> other.broker() == parts.brokerId());
        inquiries.begin(process, others, nowNs);
        Set<Replica> witnesses = inquiries.witnesses(process);
        if (witnesses.isEmpty()) {
            return 0;
        }
        return term == ControllerDriver.NO_TERM ? depose(process, witnesses) : tell(process, witnesses);
    }

    private int tell(Replica process, Set<Replica> witnesses) {
        if (witnesses.equals(told.get(process))) {
            return 0;
        }
        Set<Replica> all = new HashSet<>(witnesses);
        all.add(new Replica(parts.brokerId(), parts.hellos().incarnation()));
        if (parts.controller().processDead(process, all)) {
            told.put(process, witnesses);
            return 1;
        }
        return 0;
    }

    private int depose(Replica process, Set<Replica> witnesses) {
        if (isDeposing || nextDepositionNs - nowNs > 0) {
            return 0;
        }
        isDeposing = true;
        nextDepositionNs = nowNs + DEPOSE_RETRY_NS;
        Coordination coordination = parts.coordination();
        calls.then(
                coordination.get(MetadataKeys.CONTROLLER, ReadMode.LINEARIZABLE),
                key -> {
                    if (key.isEmpty() || !process.equals(controllerIn(key.get()))) {
                        isDeposing = false;
                        return;
                    }
                    calls.then(
                            coordination.get(MetadataKeys.CONTROLLER_EPOCH, ReadMode.LINEARIZABLE),
                            epoch -> delete(process, witnesses, key.get(), epoch),
                            this::depositionFailed);
                },
                this::depositionFailed);
        return 1;
    }

    private @Nullable Replica controllerIn(Entry entry) {
        try {
            return MetadataJson.decodeController(entry.key().path(), entry.value());
        } catch (MetadataFormatException broken) {
            events.attemptFailed(broken);
            return null;
        }
    }

    /** The key goes only if it is still the one that was read, in the same term. */
    private void delete(Replica process, Set<Replica> witnesses, Entry key, Optional<Entry> epoch) {
        if (epoch.isEmpty()) {
            isDeposing = false;
            return;
        }
        Txn txn = Txn.builder()
                .delete(MetadataKeys.CONTROLLER, key.version())
                .check(MetadataKeys.CONTROLLER_EPOCH, epoch.get().version())
                .build();
        calls.then(
                parts.coordination().commit(txn),
                result -> {
                    isDeposing = false;
                    if (result.isCommitted()) {
                        events.deposed(process, witnesses);
                    }
                },
                this::depositionFailed);
    }

    private void depositionFailed(Throwable cause) {
        isDeposing = false;
        events.attemptFailed(cause);
    }
}
