package io.tidemark.sim;

import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.local.LocalFaults;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Does the faults of a plan when their time has come, and ends them all. */
final class Nemesis {
    private final SimCluster cluster;
    private final long seed;
    private final ProcessFaults processes;
    private final Map<Fault.Family, FaultFamily> families = new EnumMap<>(Fault.Family.class);
    private final Set<Fault.Kind> done = EnumSet.noneOf(Fault.Kind.class);
    private boolean healed;

    Nemesis(SimCluster cluster, long seed) {
        this.cluster = cluster;
        this.seed = seed;
        this.processes = new ProcessFaults(cluster, this);
        families.put(Fault.Family.PROCESS, processes);
        families.put(Fault.Family.NETWORK, new NetworkFaults(cluster, this));
        families.put(Fault.Family.DISK, new DiskFaults(cluster, this));
        families.put(Fault.Family.COORDINATION, new CoordinationFaults(cluster, this));
        families.put(Fault.Family.CLIENT, new ClientFaults(cluster, this));
    }

    long seed() {
        return seed;
    }

    /** Kinds that happened. */
    Set<Fault.Kind> done() {
        return done;
    }

    /** Whether nothing goes wrong any more. */
    boolean isHealed() {
        return healed;
    }

    void plan(List<Fault> faults) {
        long startNs = cluster.world().scheduler().nowNs();
        for (Fault fault : faults) {
            cluster.world().scheduler().at(startNs + fault.atNs(), () -> strike(fault));
        }
    }

    /** Does a fault now, unless all is healed. */
    void strike(Fault fault) {
        if (healed) {
            return;
        }
        cluster.world().trace().line("FAULT " + fault);
        FaultFamily family = families.get(fault.kind().family());
        if (family == null) {
            throw new IllegalStateException("no such family of faults: kind=" + fault.kind());
        }
        if (family.strike(fault, cluster.broker(fault.broker()))) {
            done.add(fault.kind());
        }
    }

    /** Whether every partition keeps a member of its ISR that has lost nothing, if this broker loses something. */
    boolean leavesIntactMember(SimBroker broker) {
        for (PartitionTruth truth : cluster.oracle().truths().values()) {
            SeenRecord record = truth.record;
            if (record == null) {
                return false;
            }
            boolean kept = false;
            for (SeenRecord.Member member : record.isr()) {
                Mirror mirror = cluster.oracle().mirror(member.broker(), truth.partition);
                SeenBroker life = cluster.oracle().lastLife(member.broker());
                boolean electable = life != null && member.incarnation() >= life.intactSince();
                kept |= member.broker() != broker.id && electable && !mirror.lost && !mirror.damaged;
            }
            if (record.assignment().contains(broker.id) && !kept) {
                return false;
            }
        }
        return true;
    }

    /** Undoes something after a while, unless all was healed before. */
    void later(long delayNs, Runnable undo) {
        cluster.world().scheduler().after(delayNs, () -> {
            if (!healed) {
                undo.run();
            }
        });
    }

    /** Notes a rare state. */
    void reached(String state) {
        cluster.oracle().sometimes().reached(state);
    }

    /** Ends all faults and starts every broker: from now on nothing goes wrong. */
    void heal() {
        healed = true;
        cluster.world().trace().line("HEAL");
        cluster.network().healAll();
        for (SimBroker broker : cluster.brokers()) {
            broker.machine.slowness = 1;
            DiskFaults.heal(broker.disk());
            SimBroker.Life life = broker.life();
            boolean stuck =
                    cluster.oracle().gaveUp().containsKey(broker.id) || broker.hasGivenUp() || broker.isClosing();
            if (life != null && (stuck || cluster.oracle().isDamaged(broker))) {
                processes.kill(broker);
                life = null;
            }
            if (life == null) {
                cluster.network().poweredOn(broker.machine);
                broker.start();
            } else {
                life.resume();
                Coordination client = life.coordination.inner();
                LocalFaults faults = cluster.store().faults();
                faults.clear(client);
                faults.heal(client);
                faults.releaseDeliveries(client);
                faults.deliverDelayed(client);
            }
        }
    }
}
