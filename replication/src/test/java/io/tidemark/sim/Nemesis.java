package io.tidemark.sim;

import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.local.LocalFaults;
import io.tidemark.log.io.FaultyFileSystem;
import io.tidemark.log.io.NoSpaceException;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Does the faults of a plan, and undoes them. Some are left out where what is promised would not hold any more: a power
 * failure needs a member of the ISR that keeps everything.
 */
final class Nemesis {
    private final SimCluster cluster;
    private final SplittableRandom random;
    private final Set<Fault.Kind> done = EnumSet.noneOf(Fault.Kind.class);
    private boolean healed;

    Nemesis(SimCluster cluster, long seed) {
        this.cluster = cluster;
        this.random = new SplittableRandom(seed ^ 0x5eed0005L);
    }

    /** Kinds that happened. */
    Set<Fault.Kind> done() {
        return done;
    }

    void plan(List<Fault> faults) {
        long startNs = cluster.world().scheduler().nowNs();
        for (Fault fault : faults) {
            cluster.world().scheduler().at(startNs + fault.atNs(), () -> strike(fault));
        }
    }

    private void strike(Fault fault) {
        if (healed) {
            return;
        }
        SimBroker broker = cluster.broker(fault.broker());
        cluster.world().trace().line("FAULT " + fault);
        boolean happened = switch (fault.kind()) {
            case KILL, CRASH_IN_DISK_CALL, POWER, PAUSE, STOP, SLOW_MACHINE, CLOCK_JUMP -> onProcess(fault, broker);
            case CUT, CUT_ONE_WAY, ISOLATE, CUT_CLIENTS, RESET, SLOW -> onNetwork(fault, broker);
            case KILL_CLIENT -> {
                cluster.replaceClient(fault.number() % cluster.clientCount());
                reached("client killed");
                yield true;
            }
            case WRITE_ERROR, FORCE_ERROR, DISK_FULL -> onDisk(fault, broker);
            default -> onCoordination(fault, broker);
        };
        if (happened) {
            done.add(fault.kind());
        }
    }

    private void later(long delayNs, Runnable undo) {
        cluster.world().scheduler().after(delayNs, () -> {
            if (!healed) {
                undo.run();
            }
        });
    }

    private void reached(String state) {
        cluster.oracle().sometimes().reached(state);
    }

    // Processes.

    private boolean onProcess(Fault fault, SimBroker broker) {
        SimBroker.Life life = broker.life();
        if (life == null) {
            return false;
        }
        switch (fault.kind()) {
            case KILL -> {
                kill(broker);
                reached("broker killed");
                restartLater(broker, fault.durationNs());
            }
            case CRASH_IN_DISK_CALL -> {
                broker.disk().crashAt(1 + fault.number() % 40);
                reached("broker crashed at a call of its disk");
                restartLater(broker, fault.durationNs());
            }
            case POWER -> {
                if (!mayLosePower(broker)) {
                    return false;
                }
                cluster.oracle().onPowerLost(broker);
                broker.powerFail();
                cluster.oracle().onDied(broker);
                reached("power failed");
                restartLater(broker, fault.durationNs());
            }
            case PAUSE -> pause(broker, life, fault.durationNs());
            case STOP -> {
                reached("broker stopped cleanly");
                broker.beginClose(() -> {
                    cluster.oracle().onDied(broker);
                    restartLater(broker, fault.durationNs());
                });
            }
            case SLOW_MACHINE -> {
                broker.machine.slowness = 50;
                later(fault.durationNs(), () -> broker.machine.slowness = 1);
            }
            default -> {
                broker.machine.wallClockOffsetMs += (fault.number() - 500) * 86_400_000L;
                reached("clock of a machine jumped");
            }
        }
        return true;
    }

    private void kill(SimBroker broker) {
        broker.kill();
        cluster.oracle().onDied(broker);
    }

    private void pause(SimBroker broker, SimBroker.Life life, long forNs) {
        if (forNs > cluster.world().knobs().sessionTtlMs() * 1_000_000L) {
            reached("broker paused beyond its session");
        }
        life.pause(forNs);
        Coordination client = life.coordination.inner();
        // Renewals are the process's own: none goes out while it stands still.
        faults().partition(client);
        cluster.world().scheduler().after(forNs, () -> {
            if (broker.life() == life) {
                faults().heal(client);
                life.wakeAll();
            }
        });
    }

    private void restartLater(SimBroker broker, long delayNs) {
        if (delayNs < cluster.world().knobs().sessionTtlMs() * 1_000_000L) {
            reached("restarted within its session");
        }
        later(delayNs, () -> start(broker));
    }

    private void start(SimBroker broker) {
        if (!broker.isRunning() && !healed) {
            cluster.network().poweredOn(broker.machine);
            if (!broker.start()) {
                restartLater(broker, 500_000_000L);
            }
        }
    }

    /** Whether every partition keeps a member of its ISR that has lost nothing. */
    private boolean mayLosePower(SimBroker broker) {
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

    // The network.

    private boolean onNetwork(Fault fault, SimBroker broker) {
        SimNetwork network = cluster.network();
        String a = broker.machine.host;
        String b = cluster.broker(fault.other()).machine.host;
        switch (fault.kind()) {
            case CUT -> {
                cut(a, b, fault.durationNs(), true);
                reached("network cut both ways");
                if (cluster.brokers().size() > 2) {
                    reached("path cut around a corner");
                }
            }
            case CUT_ONE_WAY -> {
                cut(a, b, fault.durationNs(), false);
                reached("network cut one way");
            }
            case ISOLATE ->
                cluster.brokers().stream()
                        .filter(peer -> peer != broker)
                        .forEach(peer -> cut(a, peer.machine.host, fault.durationNs(), true));
            case CUT_CLIENTS ->
                cluster.clients().forEach(client -> cut(a, client.machine.host, fault.durationNs(), true));
            case RESET -> {
                int count = network.reset(a, b);
                for (SimClient client : cluster.clients()) {
                    count += network.reset(a, client.machine.host);
                }
                if (count == 0) {
                    return false;
                }
                reached("connection reset");
            }
            default -> {
                network.slowDown(a, b, 20_000);
                later(fault.durationNs(), () -> network.speedUp(a, b));
                reached("network slow");
            }
        }
        return true;
    }

    private void cut(String a, String b, long forNs, boolean bothWays) {
        SimNetwork network = cluster.network();
        network.cut(a, b);
        if (bothWays) {
            network.cut(b, a);
        }
        later(forNs, () -> {
            network.heal(a, b);
            if (bothWays) {
                network.heal(b, a);
            }
        });
    }

    // Disks.

    private boolean onDisk(Fault fault, SimBroker broker) {
        if (!broker.isRunning()) {
            return false;
        }
        FaultyFileSystem disk = broker.disk();
        int nth = 1 + fault.number() % 20;
        switch (fault.kind()) {
            case WRITE_ERROR -> {
                disk.failNth(FaultyFileSystem.Call.WRITE, nth, new IOException("injected: write"));
                reached("write failed");
            }
            case FORCE_ERROR -> disk.failNth(FaultyFileSystem.Call.FORCE, nth, new IOException("injected: force"));
            default -> {
                disk.failNth(FaultyFileSystem.Call.WRITE, nth, new NoSpaceException("injected: no space"));
                reached("disk full");
            }
        }
        cluster.oracle().onDiskFault(broker);
        return true;
    }

    // Coordination.

    private LocalFaults faults() {
        return cluster.store().faults();
    }

    private static @Nullable Coordination clientOf(SimBroker broker) {
        SimBroker.Life life = broker.life();
        return life == null || life.isPaused() ? null : life.coordination.inner();
    }

    private boolean onCoordination(Fault fault, SimBroker broker) {
        Coordination client = clientOf(broker);
        if (client == null) {
            return false;
        }
        int nth = 1 + fault.number() % 3;
        switch (fault.kind()) {
            case COORDINATION_DOWN, COORDINATION_SILENT -> {
                lose(broker, fault.durationNs(), fault.kind() == Fault.Kind.COORDINATION_DOWN);
                reached("coordination lost by one");
            }
            case COORDINATION_ALL_DOWN -> {
                cluster.brokers().forEach(each -> lose(each, fault.durationNs(), random.nextBoolean()));
                reached("coordination lost by all");
            }
            case EXPIRE -> {
                // Ids of sessions are given in order; the service may end any of them.
                for (long session = 1; session < 200; session++) {
                    if (random.nextInt(3) == 0) {
                        faults().expireSession(session);
                    }
                }
                reached("session expired by the service");
            }
            case LOSE_REQUEST -> {
                faults().dropRequest(client, nth);
                reached("coordination request lost");
            }
            case LOSE_ANSWER -> {
                faults().dropReply(client, nth);
                reached("coordination answer lost");
            }
            case DELAY_REQUEST -> {
                faults().delayRequest(client, nth);
                cluster.world().scheduler().after(fault.durationNs(), () -> faults().deliverDelayed(client));
                reached("coordination request applied late");
            }
            case HOLD_WATCHES -> {
                faults().holdDeliveries(client);
                cluster.world().scheduler().after(fault.durationNs(), () -> faults().releaseDeliveries(client));
            }
            default -> {
                faults().forceResync(client);
                reached("watch resynchronized");
            }
        }
        return true;
    }

    private void lose(SimBroker broker, long forNs, boolean notices) {
        SimBroker.Life life = broker.life();
        Coordination client = clientOf(broker);
        if (life == null || client == null) {
            return;
        }
        if (notices) {
            faults().disconnect(client);
        } else {
            faults().partition(client);
        }
        cluster.world().scheduler().after(forNs, () -> {
            if (broker.life() == life && !life.isPaused()) {
                faults().heal(client);
            }
        });
    }

    private static void healDisk(FaultyFileSystem disk) {
        disk.crashAt(Long.MAX_VALUE / 2);
        disk.heal();
    }

    /** Ends all faults and starts every broker: from now on nothing goes wrong. */
    void heal() {
        healed = true;
        cluster.world().trace().line("HEAL");
        cluster.network().healAll();
        for (SimBroker broker : cluster.brokers()) {
            broker.machine.slowness = 1;
            healDisk(broker.disk());
            SimBroker.Life life = broker.life();
            boolean stuck =
                    cluster.oracle().gaveUp().containsKey(broker.id) || broker.hasGivenUp() || broker.isClosing();
            if (life != null && (stuck || cluster.oracle().isDamaged(broker))) {
                kill(broker);
                life = null;
            }
            if (life == null) {
                cluster.network().poweredOn(broker.machine);
                broker.start();
            } else {
                life.resume();
                Coordination client = life.coordination.inner();
                faults().clear(client);
                faults().heal(client);
                faults().releaseDeliveries(client);
                faults().deliverDelayed(client);
            }
        }
    }
}
