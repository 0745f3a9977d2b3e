package io.tidemark.sim;

import io.tidemark.broker.BrokerConfig;
import io.tidemark.broker.BrokerStartException;
import io.tidemark.broker.SteppedBroker;
import io.tidemark.coordination.local.LocalStore;
import io.tidemark.log.StorageException;
import io.tidemark.log.io.FaultyFileSystem;
import io.tidemark.pipeline.LaneIdle;
import io.tidemark.pipeline.LaneView;
import io.tidemark.transport.TransportException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** One broker over all its lives: its machine, its disk, and the process that runs now, if one does. */
final class SimBroker {
    private static final long MAINTENANCE_PARK_NS = 20_000_000L;
    /** The port that a broker keeps over its lives. */
    private static final int PORT = 7000;

    /** What the oracle hears. */
    interface Listener {
        /** A lane was stepped. */
        void onLane(SimBroker broker);

        /** A broker cannot go on until it is started again. */
        void onGaveUp(SimBroker broker, String why);
    }

    final int id;
    final SimMachine machine;
    private final SimCluster cluster;
    private final Path home;
    private final Listener listener;
    private FaultyFileSystem disk;
    private Path folder;
    private int powerCycles;
    private int lives;
    private @Nullable Life life;

    SimBroker(SimCluster cluster, int id, Path home, Listener listener) {
        this.cluster = cluster;
        this.id = id;
        this.home = home;
        this.listener = listener;
        this.machine = new SimMachine("b" + id, cluster.world().knobs().clockRate(id));
        this.folder = home.resolve("power-0");
        this.disk = new FaultyFileSystem();
        disk.reboot("boot-0");
        cluster.network().add(machine);
    }

    /** One process. */
    final class Life extends SimProcess {
        final SimCoordination coordination;
        final SteppedBroker broker;
        private @Nullable SimAgent laneAgent;
        private @Nullable SimAgent conductorAgent;
        private @Nullable SimAgent maintenanceAgent;
        private boolean isClosing;

        private Life(BrokerConfig config, LocalStore store) {
            super(cluster.world(), SimBroker.this.machine, "b" + id + "#" + ++lives);
            coordination = new SimCoordination(this, store);
            broker = new SteppedBroker(
                    config,
                    coordination,
                    new SteppedBroker.Surroundings(
                            world.nanoClock(machine),
                            world.epochClock(machine),
                            new SplittableRandom(world.random().nextLong()),
                            cluster.network().factory(this),
                            new SimDisk(
                                    disk, new SplittableRandom(world.random().nextLong()))));
        }

        private void start() {
            SimAgent maintenance = add(broker.maintenance(), () -> parkCurrent(MAINTENANCE_PARK_NS));
            broker.maintenance().wakeUp(maintenance::wake);
            maintenanceAgent = maintenance;
            maintenance.start();
            LaneIdle idle = new LaneIdle(broker.lane());
            SimAgent lane = add(broker.lane(), () -> idle.idle(0));
            laneAgent = lane;
            lane.start();
            broker.conductor()
                    .attach(
                            broker.lane().proxy(),
                            broker.lane().address().join().getPort());
            SimAgent conductor = add(broker.conductor(), broker.conductor()::park);
            conductorAgent = conductor;
            conductor.start();
        }

        private void parkCurrent(long timeoutNs) {
            SimAgent agent = current;
            if (agent != null) {
                agent.parked(timeoutNs);
            }
        }

        @Override
        boolean isDead() {
            // After a crash inside a call of the disk nothing of the same step gets out.
            return super.isDead() || disk.hasCrashed();
        }

        @Override
        void onStepped(SimAgent agent, int work) {
            world.trace().mix(world.scheduler().nowNs());
            world.trace().mix(id * 1000L + work);
            if (disk.hasCrashed()) {
                // The process died inside this step: what it did after the crash reached nobody.
                cluster.crashed(SimBroker.this);
                return;
            }
            if (agent == laneAgent || work > 0) {
                listener.onLane(SimBroker.this);
            }
        }

        @Override
        void onThrown(SimAgent agent, Throwable thrown) {
            if (disk.hasCrashed()) {
                return;
            }
            if (agent == laneAgent) {
                broker.conductor().laneFailed(thrown);
            } else if (agent == conductorAgent) {
                broker.conductor().fail("the conductor has failed: " + thrown, thrown);
            } else {
                broker.conductor().maintenanceFailed(thrown);
            }
            listener.onGaveUp(SimBroker.this, agent.agent.roleName() + " threw " + thrown);
        }

        private void stopAgents() {
            broker.lane().proxy().stop();
            stop(laneAgent);
            stop(conductorAgent);
            stop(maintenanceAgent);
        }

        private void stop(@Nullable SimAgent agent) {
            if (agent != null) {
                agent.stop();
            }
        }
    }

    boolean isRunning() {
        return life != null;
    }

    boolean isClosing() {
        Life running = life;
        return running != null && running.isClosing;
    }

    @Nullable
    Life life() {
        return life;
    }

    FaultyFileSystem disk() {
        return disk;
    }

    /** Starts a process on this machine's disk. False if it refuses to start. */
    boolean start() {
        Knobs knobs = cluster.world().knobs();
        BrokerConfig config = BrokerConfig.builder()
                .brokerId(id)
                .dataDirectory(folder)
                .coordination("local:")
                .host(machine.host)
                .port(PORT)
                .sessionTtl(knobs.sessionTtl())
                .replicaLagMax(knobs.replicaLagMax())
                .minIsr(knobs.minIsr())
                .segmentBytes(knobs.segmentBytes())
                .batchBytesMax(knobs.batchBytes())
                .build();
        machine.powered = true;
        try {
            Life started = new Life(config, cluster.store());
            life = started;
            started.start();
            return true;
        } catch (BrokerStartException | StorageException | TransportException refused) {
            cluster.world().trace().line("broker " + id + " did not start: " + refused.getMessage());
            kill();
            diskAfterCrash();
            return false;
        }
    }

    /** The process ends at this moment; the page cache stays. */
    void kill() {
        Life killed = life;
        if (killed == null) {
            return;
        }
        end(killed);
        cluster.network().processDied(killed);
    }

    private void end(Life killed) {
        killed.die();
        life = null;
        cluster.store().faults().partition(killed.coordination.inner());
        killed.broker.store().abandon();
    }

    /** Makes a disk that crashed usable for the next process. */
    void diskAfterCrash() {
        disk.crashAt(Long.MAX_VALUE / 2);
    }

    /** Power fails: the process ends, and of what was not forced some is lost. */
    void powerFail() {
        machine.powered = false;
        Life killed = life;
        if (killed != null) {
            end(killed);
            cluster.network().processDied(killed);
        }
        Path next = home.resolve("power-" + ++powerCycles);
        try {
            disk.writeDurableImage(folder, next);
            disk = new FaultyFileSystem();
            disk.reboot("boot-" + powerCycles);
            SimDisk.settle(disk, next);
        } catch (IOException failed) {
            throw new IllegalStateException("the image of the disk cannot be written: folder=" + next, failed);
        }
        folder = next;
    }

    /** Somebody replaces the disk by an empty one, of a machine that did not stop; the process must be dead. */
    void wipe() {
        if (life != null) {
            throw new IllegalStateException("a disk is replaced while its process runs: broker=" + id);
        }
        folder = home.resolve("power-" + ++powerCycles);
        disk = new FaultyFileSystem();
        disk.reboot("boot-" + powerCycles);
    }

    /** Copies what is durable of the folder; gives where to. */
    Path backUp() {
        Path copy = home.resolve("backup-" + ++powerCycles);
        try {
            disk.writeDurableImage(folder, copy);
        } catch (IOException failed) {
            throw new IllegalStateException("the folder cannot be copied: folder=" + folder, failed);
        }
        return copy;
    }

    /** Somebody brings an older copy of the folder back while the machine runs on; the process must be dead. */
    void restore(Path copy) {
        if (life != null) {
            throw new IllegalStateException("a folder is replaced while its process runs: broker=" + id);
        }
        String bootId = disk.bootId();
        disk = new FaultyFileSystem();
        disk.reboot(bootId);
        try {
            SimDisk.settle(disk, copy);
        } catch (IOException failed) {
            throw new IllegalStateException("the copy cannot be used: folder=" + copy, failed);
        }
        folder = copy;
    }

    /** Begins to leave in good order. */
    void beginClose(Runnable then) {
        Life closing = life;
        if (closing == null || closing.isClosing) {
            return;
        }
        closing.isClosing = true;
        closing.broker.conductor().resign().whenComplete((done, failure) -> closing.run(0, () -> finishClose(closing)));
        cluster.world().scheduler().after(10_000_000_000L, () -> {
            if (life == closing) {
                finishClose(closing);
            }
        });
        afterClose = then;
    }

    private Runnable afterClose = () -> {};

    private void finishClose(Life closing) {
        if (life != closing) {
            return;
        }
        closing.stopAgents();
        try {
            closing.broker.maintenance().checkpoint();
            closing.broker.store().close();
        } catch (StorageException | IllegalStateException failed) {
            cluster.world().trace().line("broker " + id + " did not close cleanly: " + failed.getMessage());
            closing.broker.store().abandon();
            diskAfterCrash();
        }
        closing.coordination.close();
        closing.die();
        life = null;
        cluster.network().processDied(closing);
        afterClose.run();
    }

    /** The replicas of the process that runs. */
    List<LaneView.ReplicaView> replicas() {
        Life running = life;
        return running == null ? List.of() : LaneView.of(running.broker.lane());
    }

    /** Whether the broker gave up for good: its lane failed, or its conductor did. */
    boolean hasGivenUp() {
        Life running = life;
        return running != null && (LaneView.isFenced(running.broker.lane()) || running.broker.hasConductorFailed());
    }
}
