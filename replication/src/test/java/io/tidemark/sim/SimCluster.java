package io.tidemark.sim;

import io.tidemark.coordination.local.LocalStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Whole brokers and clients in one thread: their production classes, stepped one agent at a time in an order that the
 * seed gives, over simulated time, network, disks and coordination.
 */
final class SimCluster implements AutoCloseable {
    private static final long STORE_TICK_NS = 20_000_000L;

    private final SimWorld world;
    private final SimNetwork network;
    private final LocalStore store;
    private final List<SimBroker> brokers = new ArrayList<>();
    private final List<SimClient> clients = new ArrayList<>();
    private final History history = new History();
    private final Oracle oracle;
    private int producers;
    private int clientNumber;

    SimCluster(long seed, Knobs knobs, Path folder, boolean prints) {
        world = new SimWorld(seed, knobs, prints);
        network = new SimNetwork(world);
        store = LocalStore.create(world.scheduler()::nowNs);
        oracle = new Oracle(this);
        for (int id = 1; id <= knobs.brokers(); id++) {
            brokers.add(new SimBroker(this, id, folder.resolve("b" + id), oracle));
        }
        tickStore();
    }

    private void tickStore() {
        store.tick();
        world.scheduler().after(STORE_TICK_NS, this::tickStore);
    }

    SimWorld world() {
        return world;
    }

    SimNetwork network() {
        return network;
    }

    LocalStore store() {
        return store;
    }

    Oracle oracle() {
        return oracle;
    }

    History history() {
        return history;
    }

    List<SimBroker> brokers() {
        return brokers;
    }

    SimBroker broker(int id) {
        return brokers.get(id - 1);
    }

    List<SimClient> clients() {
        return clients;
    }

    int clientCount() {
        return clients.size();
    }

    int nextProducer() {
        return ++producers;
    }

    /** Kills a client; another one begins in its place, on a machine of its own. */
    void replaceClient(int index) {
        SimClient killed = clients.get(index);
        killed.kill();
        SimClient next = newClient();
        clients.set(index, next);
        next.start();
        next.work();
    }

    SimClient addClient() {
        SimClient client = newClient();
        clients.add(client);
        client.start();
        return client;
    }

    private SimClient newClient() {
        StringBuilder bootstrap = new StringBuilder();
        for (SimBroker broker : brokers) {
            bootstrap
                    .append(bootstrap.isEmpty() ? "" : ",")
                    .append(broker.machine.host)
                    .append(":7000");
        }
        return new SimClient(this, ++clientNumber, bootstrap.toString(), history, oracle);
    }

    /** A broker's disk crashed inside a step: its process is gone. */
    void crashed(SimBroker broker) {
        world.trace().line("broker " + broker.id + " crashed at a call of its disk");
        oracle.onLane(broker);
        oracle.onCrash(broker);
        broker.kill();
        broker.diskAfterCrash();
        oracle.onDied(broker);
    }

    void runFor(long ns) {
        runUntil(world.scheduler().nowNs() + ns);
    }

    private void runUntil(long untilNs) {
        while (world.scheduler().step(untilNs)) {
            oracle.afterStep();
        }
    }

    /** Lets things happen until something is true; false if that did not come in time. */
    boolean await(long boundNs, BooleanSupplier condition) {
        long untilNs = world.scheduler().nowNs() + boundNs;
        int left = 0;
        while (true) {
            // Conditions look at everything, so that not every step asks.
            if (left-- <= 0) {
                if (condition.getAsBoolean()) {
                    return true;
                }
                left = 50;
            }
            if (!world.scheduler().step(untilNs)) {
                return condition.getAsBoolean();
            }
            oracle.afterStep();
        }
    }

    @Override
    public void close() {
        for (SimBroker broker : brokers) {
            broker.kill();
        }
        store.close();
    }
}
