package io.tidemark.sim;

import io.tidemark.coordination.Coordination;
import java.util.ArrayList;
import java.util.List;

/**
 * Processes that die, stand still, are stopped or slow, and machines that lose power. A power failure is left out where
 * what is promised would not hold any more: it needs a member of the ISR that keeps everything.
 */
final class ProcessFaults implements FaultFamily {
    private static final long TAIL_NS = 200_000_000L;

    private final SimCluster cluster;
    private final Nemesis nemesis;

    ProcessFaults(SimCluster cluster, Nemesis nemesis) {
        this.cluster = cluster;
        this.nemesis = nemesis;
    }

    @Override
    public boolean strike(Fault fault, SimBroker broker) {
        if (fault.kind() != Fault.Kind.KILL_LEADER) {
            return end(fault, broker);
        }
        SimBroker leader = leader(fault, broker);
        return fault.number() % 2 == 0 ? endWithTail(fault, leader) : end(fault, leader);
    }

    /** Another replica does not get the leader's last records; soon after the leader is killed, and maybe the next. */
    private boolean endWithTail(Fault fault, SimBroker leader) {
        SimBroker.Life life = leader.life();
        PartitionTruth truth = truth(fault);
        SeenRecord record = truth.record;
        if (life == null || record == null) {
            return false;
        }
        List<Integer> others = new ArrayList<>(record.assignment());
        others.remove((Integer) leader.id);
        if (others.isEmpty()) {
            return end(fault, leader);
        }
        String from = leader.machine.host;
        String to = cluster.broker(others.get(fault.number() / 2 % others.size())).machine.host;
        cluster.network().cut(from, to);
        nemesis.later(TAIL_NS + fault.durationNs(), () -> cluster.network().heal(from, to));
        nemesis.later(TAIL_NS, () -> {
            if (leader.life() == life) {
                end(fault, leader);
            }
        });
        if (fault.number() % 4 == 0) {
            Fault next = new Fault(
                    fault.atNs(), fault.kind(), fault.broker(), fault.other(), fault.durationNs(), fault.number() + 2);
            nemesis.later(TAIL_NS + cluster.world().knobs().sessionTtlMs() * 1_500_000L, () -> nemesis.strike(next));
        }
        return true;
    }

    private PartitionTruth truth(Fault fault) {
        return cluster.oracle().truth(fault.number() % cluster.world().knobs().partitions());
    }

    /** Who leads some partition, or else the broker that was drawn. */
    private SimBroker leader(Fault fault, SimBroker other) {
        SeenRecord record = truth(fault).record;
        return record == null || record.leader().broker() < 0
                ? other
                : cluster.broker(record.leader().broker());
    }

    private boolean end(Fault fault, SimBroker broker) {
        SimBroker.Life life = broker.life();
        if (life == null) {
            return false;
        }
        switch (fault.kind()) {
            case KILL, KILL_LEADER -> {
                kill(broker);
                nemesis.reached("broker killed");
                restartLater(broker, fault.durationNs());
            }
            case CRASH_IN_DISK_CALL -> {
                broker.disk().crashAt(1 + fault.number() % 40);
                nemesis.reached("broker crashed at a call of its disk");
                restartLater(broker, fault.durationNs());
            }
            case POWER -> {
                if (!nemesis.leavesIntactMember(broker)) {
                    return false;
                }
                cluster.oracle().onPowerLost(broker);
                broker.powerFail();
                cluster.oracle().onDied(broker);
                nemesis.reached("power failed");
                restartLater(broker, fault.durationNs());
            }
            case PAUSE -> pause(broker, life, fault.durationNs());
            case STOP -> {
                nemesis.reached("broker stopped cleanly");
                broker.beginClose(() -> {
                    cluster.oracle().onDied(broker);
                    restartLater(broker, fault.durationNs());
                });
            }
            case SLOW_MACHINE -> {
                broker.machine.slowness = 50;
                nemesis.later(fault.durationNs(), () -> broker.machine.slowness = 1);
            }
            default -> {
                broker.machine.wallClockOffsetMs += (fault.number() - 500) * 86_400_000L;
                nemesis.reached("clock of a machine jumped");
            }
        }
        return true;
    }

    /** Ends a process at this moment. */
    void kill(SimBroker broker) {
        broker.kill();
        cluster.oracle().onDied(broker);
    }

    private void pause(SimBroker broker, SimBroker.Life life, long forNs) {
        if (forNs > cluster.world().knobs().sessionTtlMs() * 1_000_000L) {
            nemesis.reached("broker paused beyond its session");
        }
        life.pause(forNs);
        Coordination client = life.coordination.inner();
        // Renewals are the process's own: none goes out while it stands still.
        cluster.store().faults().partition(client);
        cluster.world().scheduler().after(forNs, () -> {
            if (broker.life() == life) {
                cluster.store().faults().heal(client);
                life.wakeAll();
            }
        });
    }

    private void restartLater(SimBroker broker, long delayNs) {
        if (delayNs < cluster.world().knobs().sessionTtlMs() * 1_000_000L) {
            nemesis.reached("restarted within its session");
        }
        nemesis.later(delayNs, () -> start(broker));
    }

    private void start(SimBroker broker) {
        if (!broker.isRunning() && !nemesis.isHealed()) {
            cluster.network().poweredOn(broker.machine);
            if (!broker.start()) {
                restartLater(broker, 500_000_000L);
            }
        }
    }
}
