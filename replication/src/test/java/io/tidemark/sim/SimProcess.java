package io.tidemark.sim;

import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.Agent;
import org.jspecify.annotations.Nullable;

/**
 * One life of one process on a machine: agents that are stepped one at a time, never two at once. It runs, stands still
 * for a while, or is dead for good; what a dead one still asks for does not happen.
 */
class SimProcess {
    /** What an idle agent waits at most; nothing in production waits longer without a reason. */
    private static final long IDLE_MAX_NS = 100_000_000L;

    final SimWorld world;
    final SimMachine machine;
    final String name;
    private final List<SimAgent> agents = new ArrayList<>();
    private boolean dead;
    private long pausedUntilNs;
    /** The agent that is being stepped. */
    @Nullable
    SimAgent current;

    SimProcess(SimWorld world, SimMachine machine, String name) {
        this.world = world;
        this.machine = machine;
        this.name = name;
    }

    boolean isDead() {
        return dead;
    }

    boolean isPaused() {
        return world.scheduler().nowNs() < pausedUntilNs;
    }

    /** Lets nothing of this process happen for a while, as a long collection of garbage does. */
    void pause(long forNs) {
        pausedUntilNs = Math.max(pausedUntilNs, world.scheduler().nowNs() + forNs);
    }

    void resume() {
        pausedUntilNs = 0;
        wakeAll();
    }

    /** Ends the process: no agent is stepped any more. */
    void die() {
        dead = true;
    }

    /** Runs something in this process soon, or when it goes on, or never if it is dead by then. */
    void run(long delayNs, Runnable action) {
        world.scheduler().after(delayNs, () -> {
            if (dead) {
                return;
            }
            if (isPaused()) {
                run(pausedUntilNs - world.scheduler().nowNs(), action);
                return;
            }
            action.run();
            wakeAll();
        });
    }

    final SimAgent add(Agent agent, Runnable park) {
        SimAgent added = new SimAgent(agent, park);
        agents.add(added);
        return added;
    }

    void wakeAll() {
        for (int i = 0; i < agents.size(); i++) {
            agents.get(i).wake();
        }
    }

    /** What an agent's step threw; by default a bug. */
    void onThrown(SimAgent agent, Throwable thrown) {
        throw new SimViolation("R-02", "an agent of " + name + " threw: " + thrown, thrown);
    }

    /** An agent was stepped. */
    void onStepped(SimAgent agent, int work) {}

    /** One agent of the process. */
    final class SimAgent {
        final Agent agent;
        private final Runnable park;
        private long plannedNs = Long.MAX_VALUE;
        private long parkNs;
        private boolean stopped;

        private SimAgent(Agent agent, Runnable park) {
            this.agent = agent;
            this.park = park;
        }

        SimProcess process() {
            return SimProcess.this;
        }

        /** Called from inside the idle strategy: how long it would wait. */
        void parked(long timeoutNs) {
            parkNs = Math.min(parkNs, timeoutNs);
        }

        void start() {
            within(agent::onStart);
            wake();
        }

        void stop() {
            if (!stopped) {
                stopped = true;
                within(agent::onClose);
            }
        }

        boolean isStopped() {
            return stopped;
        }

        void wake() {
            plan(world.stepDelayNs(machine));
        }

        private void plan(long delayNs) {
            long atNs = world.scheduler().nowNs() + delayNs;
            if (atNs < plannedNs && !stopped && !dead) {
                plannedNs = atNs;
                world.scheduler().at(atNs, () -> step(atNs));
            }
        }

        private void step(long atNs) {
            if (dead || stopped || plannedNs != atNs) {
                return;
            }
            plannedNs = Long.MAX_VALUE;
            if (isPaused()) {
                plan(pausedUntilNs - world.scheduler().nowNs());
                return;
            }
            int[] work = new int[1];
            within(() -> work[0] = doWork());
            if (dead || stopped) {
                return;
            }
            onStepped(this, work[0]);
            if (dead || stopped) {
                return;
            }
            if (work[0] > 0) {
                // The others are woken as production wakes them: by what this one handed to them.
                wake();
                return;
            }
            parkNs = IDLE_MAX_NS;
            within(park);
            plan(Math.max(world.stepDelayNs(machine), parkNs));
        }

        private int doWork() {
            try {
                return agent.doWork();
            } catch (SimViolation violation) {
                throw violation;
            } catch (Exception thrown) {
                onThrown(this, thrown);
                return 1;
            }
        }

        /** Runs something as this agent, so that what belongs to another one can refuse. */
        private void within(Runnable action) {
            SimAgent before = current;
            current = this;
            SimAgent worldBefore = world.enter(this);
            try {
                action.run();
            } finally {
                current = before;
                world.enter(worldBefore);
            }
        }
    }
}
