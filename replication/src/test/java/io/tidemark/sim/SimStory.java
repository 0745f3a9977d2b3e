package io.tidemark.sim;

import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A run whose events are told one by one: a cluster at which nothing is odd, one partition, one client that sends what
 * it is told to. The oracle judges each step as in every run, and the end is the same: all must come to rest, all
 * replicas must be equal, and everything that was acknowledged must have been read.
 */
final class SimStory implements AutoCloseable {
    static final long SECOND_NS = 1_000_000_000L;
    private static final long BOUND_NS = 60 * SECOND_NS;
    private static final long SEED = 1;

    final SimCluster cluster;
    final SimClient client;
    private final Nemesis nemesis;
    private final SimRun run;
    private final SimFolder folder = new SimFolder();

    SimStory(int brokers, int replicationFactor, int minIsr) {
        Knobs knobs = Knobs.plain(brokers, 1, replicationFactor, minIsr);
        Path home = folder.next();
        run = new SimRun(SEED, knobs, List.of(), home, false);
        cluster = new SimCluster(SEED, knobs, home, false);
        nemesis = new Nemesis(cluster, SEED);
        run.start(cluster);
        client = cluster.clients().get(0);
        client.open();
        runFor(SECOND_NS);
    }

    // What is there.

    PartitionTruth truth() {
        return cluster.oracle().truth(0);
    }

    SeenRecord record() {
        SeenRecord record = truth().record;
        if (record == null) {
            throw new IllegalStateException("the partition has no record");
        }
        return record;
    }

    /** Who leads by the record. */
    SimBroker leader() {
        return cluster.broker(record().leader().broker());
    }

    /** The nth broker of the assignment that is none of these. */
    SimBroker replica(int nth, SimBroker... others) {
        int left = nth;
        for (int id : record().assignment()) {
            SimBroker broker = cluster.broker(id);
            if (!List.of(others).contains(broker) && left-- == 0) {
                return broker;
            }
        }
        throw new IllegalArgumentException("there is no such replica: nth=" + nth + ", record=" + record());
    }

    boolean isInSync(SimBroker broker) {
        return SeenRecord.incarnationIn(record().isr(), broker.id) >= 0;
    }

    Mirror log(SimBroker broker) {
        return cluster.oracle().mirror(broker.id, 0);
    }

    // What happens.

    void runFor(long ns) {
        cluster.runFor(ns);
    }

    void await(String what, BooleanSupplier condition) {
        if (!cluster.await(BOUND_NS, condition)) {
            throw new SimViolation(
                    "L-02", "did not happen: " + what + "; " + cluster.oracle().table());
        }
    }

    /** Sends records that wait for all in-sync replicas. */
    History.Sent[] send(int count) {
        History.Sent[] sent = new History.Sent[count];
        for (int i = 0; i < count; i++) {
            sent[i] = client.send(true);
        }
        return sent;
    }

    /** Sends records, and waits until all are acknowledged. */
    void commit(int count) {
        for (History.Sent sent : send(count)) {
            await("acknowledged: " + sent, () -> sent.outcome != History.Outcome.PENDING);
            if (sent.outcome != History.Outcome.OK) {
                throw new SimViolation("L-02", "not acknowledged: " + sent);
            }
        }
    }

    /** Sends a record that waits for the leader's log only, and waits for its acknowledgement. */
    void appendAtLeader() {
        History.Sent sent = client.send(false);
        await("acknowledged by the leader: " + sent, () -> sent.outcome == History.Outcome.OK);
    }

    void kill(SimBroker broker) {
        broker.kill();
        cluster.oracle().onDied(broker);
    }

    /** The machine of a broker loses its power, and what was not forced. */
    void powerOff(SimBroker broker) {
        cluster.oracle().onPowerLost(broker);
        broker.powerFail();
        cluster.oracle().onDied(broker);
    }

    /** A broker dies, and its disk is replaced by an empty one; it starts when its registration has ended. */
    void replaceDisk(SimBroker broker) {
        kill(broker);
        cluster.oracle().onPowerLost(broker);
        log(broker).flushed = 0;
        broker.wipe();
        await(
                "the end of the registration of broker " + broker.id,
                () -> !cluster.oracle().registered().containsKey(broker.id));
        start(broker);
        awaitRegistered(broker);
    }

    void start(SimBroker broker) {
        cluster.network().poweredOn(broker.machine);
        if (!broker.start()) {
            throw new SimViolation("L-01", "broker " + broker.id + " does not start");
        }
    }

    void cut(SimBroker one, SimBroker other) {
        cluster.network().cut(one.machine.host, other.machine.host);
        cluster.network().cut(other.machine.host, one.machine.host);
    }

    void mend(SimBroker one, SimBroker other) {
        cluster.network().heal(one.machine.host, other.machine.host);
        cluster.network().heal(other.machine.host, one.machine.host);
    }

    /** What a broker sends to the client does not arrive, and what the client sends does until then. */
    void cutClient(SimBroker broker) {
        cluster.network().cut(broker.machine.host, client.machine.host);
    }

    /** Neither hears the other. */
    void cutClientBothWays(SimBroker broker) {
        cutClient(broker);
        cluster.network().cut(client.machine.host, broker.machine.host);
    }

    void mendClient(SimBroker broker) {
        cluster.network().heal(broker.machine.host, client.machine.host);
        cluster.network().heal(client.machine.host, broker.machine.host);
    }

    /** Cuts a broker from all other brokers. */
    void isolate(SimBroker broker) {
        cluster.brokers().stream().filter(other -> other != broker).forEach(other -> cut(broker, other));
    }

    /** Ends {@link #isolate}. */
    void mend(SimBroker broker) {
        cluster.brokers().stream().filter(other -> other != broker).forEach(other -> mend(broker, other));
    }

    /** A broker's messages to the coordination service vanish. */
    void cutFromCoordination(SimBroker broker) {
        cluster.store().faults().partition(life(broker).coordination.inner());
    }

    void mendCoordination(SimBroker broker) {
        cluster.store().faults().heal(life(broker).coordination.inner());
    }

    SimBroker.Life life(SimBroker broker) {
        SimBroker.@Nullable Life life = broker.life();
        if (life == null) {
            throw new IllegalStateException("broker does not run: broker=" + broker.id);
        }
        return life;
    }

    /** Starts a broker that was killed, and waits until it is registered anew. */
    void restart(SimBroker broker) {
        SeenBroker before = cluster.oracle().lastLife(broker.id);
        long incarnation = before == null ? -1 : before.incarnation();
        start(broker);
        await("a new registration of broker " + broker.id, () -> {
            SeenBroker life = cluster.oracle().registered().get(broker.id);
            return life != null && life.incarnation() > incarnation;
        });
    }

    private void awaitRegistered(SimBroker broker) {
        await(
                "registration of broker " + broker.id,
                () -> cluster.oracle().registered().containsKey(broker.id));
    }

    void awaitLeader(SimBroker broker) {
        await("broker " + broker.id + " leads", () -> log(broker).role.equals("LEADER") && leader() == broker);
    }

    /** Waits until somebody else leads; gives who. */
    SimBroker awaitOtherLeader(SimBroker than) {
        await(
                "another leader than " + than.id,
                () -> leader() != than
                        && log(leader()).role.equals("LEADER")
                        && log(leader()).epoch == record().leaderEpoch());
        return leader();
    }

    void awaitInSync(SimBroker broker, boolean wanted) {
        await("broker " + broker.id + " in the ISR: " + wanted, () -> isInSync(broker) == wanted);
    }

    /** Mends and starts everything; all must come to rest, with all logs equal and everything read. */
    void end() {
        run.finish(cluster, nemesis);
        if (run.isUnavailable()) {
            throw new SimViolation("L-01", "nobody can lead: " + record());
        }
    }

    @Override
    public void close() {
        cluster.close();
        folder.close();
    }
}
