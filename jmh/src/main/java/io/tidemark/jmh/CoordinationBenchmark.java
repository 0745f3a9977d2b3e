package io.tidemark.jmh;

import io.tidemark.coordination.Change;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.LeaderElection;
import io.tidemark.coordination.Leadership;
import io.tidemark.coordination.Listing;
import io.tidemark.coordination.Session;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnResult;
import io.tidemark.coordination.Version;
import io.tidemark.coordination.WatchListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does the same call cost on each coordination back end: a conditional write, a transaction, the way from a write
 * to its notification, and the change of a leader?
 *
 * <p>Expected: memory costs the hand-over between threads (some ten microseconds), whatever is forced to the disk costs
 * one force per write when the writes wait for each other (0.1 to 3 ms, by the disk) and one force for many when they
 * do not. A notification adds one hand-over. A new leader needs three rounds: the old key vanishes, the next one hears
 * of it, and writes key and term. A leader that dies without a word is found out by its time to live, which is not
 * measured here.
 *
 * <p>One server on this machine, one client with one thread that waits; values of 100 bytes. ZooKeeper runs in the JVM
 * of the benchmark, etcd in a process of its own.
 */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 2, time = 3)
@Measurement(iterations = 5, time = 3)
@Fork(value = 3, jvmArgsAppend = "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED")
@Threads(1)
@State(Scope.Benchmark)
public class CoordinationBenchmark {
    private static final int IN_FLIGHT = 64;
    private static final byte[] VALUE = new byte[100];
    private static final Duration TTL = Duration.ofSeconds(10);

    /** Which service. */
    @Param({"local", "local-durable", "zk", "etcd"})
    public String backEnd = "";

    private BenchedService service;
    private Coordination client;
    private Coordination watcher;
    private final List<Key> keys = new ArrayList<>();
    private final List<Version> versions = new ArrayList<>();
    private final Seen seen = new Seen();
    private Candidate leader;
    private Candidate next;

    /** Made by the harness. */
    public CoordinationBenchmark() {}

    /** How far a watch has come. */
    private static final class Seen implements WatchListener {
        private volatile long revision;

        @Override
        public void onSnapshot(Listing state) {
            state.entries().forEach(entry -> raise(entry.version().modRevision()));
        }

        @Override
        public void onChanges(List<Change> changes, long atRevision) {
            changes.forEach(change -> raise(change.revision()));
        }

        private synchronized void raise(long value) {
            revision = Math.max(revision, value);
        }
    }

    /** One who stands for election, with a session of its own. */
    private static final class Candidate {
        private final LeaderElection election;
        private final Session session;
        private CompletionStage<Leadership> campaign;

        Candidate(Coordination client) {
            election = LeaderElection.byName(client, Key.of("/leader"), Key.of("/leader_epoch"));
            session = join(client.openSession(TTL));
            campaign = stand();
        }

        CompletionStage<Leadership> stand() {
            campaign = election.campaign(session, VALUE);
            return campaign;
        }
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    /** Starts the service. */
    @Setup(Level.Trial)
    public void start() {
        service = BenchedService.start(backEnd);
        client = service.open("bench");
        watcher = service.open("watcher");
        for (int i = 0; i < IN_FLIGHT; i++) {
            keys.add(Key.of("/keys/" + i));
            versions.add(committed(Txn.builder().create(keys.get(i), VALUE)).get(0));
        }
        watcher.watch(Key.of("/keys"), seen).ready().toCompletableFuture().join();
        leader = new Candidate(client);
        join(leader.campaign);
        next = new Candidate(watcher);
    }

    /** Ends the service. */
    @TearDown(Level.Trial)
    public void stop() {
        watcher.close();
        client.close();
        service.close();
    }

    private List<Version> committed(Txn.Builder builder) {
        if (join(client.commit(builder.build())) instanceof TxnResult.Committed done) {
            return done.versions();
        }
        throw new IllegalStateException("a write was refused, and nobody else writes");
    }

    private Version update(int index) {
        Version version = committed(Txn.builder().update(keys.get(index), VALUE, versions.get(index)))
                .get(0);
        versions.set(index, version);
        return version;
    }

    /**
     * One write after the other.
     *
     * @return its version
     */
    @Benchmark
    public Version conditionalWrite() {
        return update(0);
    }

    /**
     * Writes that do not wait for each other; the score is that of one.
     *
     * @return the last version
     */
    @Benchmark
    @BenchmarkMode(Mode.Throughput)
    @OutputTimeUnit(TimeUnit.SECONDS)
    @OperationsPerInvocation(IN_FLIGHT)
    public Version conditionalWritesInFlight() {
        List<CompletionStage<TxnResult>> underWay = new ArrayList<>();
        for (int i = 0; i < IN_FLIGHT; i++) {
            underWay.add(client.commit(
                    Txn.builder().update(keys.get(i), VALUE, versions.get(i)).build()));
        }
        for (int i = 0; i < IN_FLIGHT; i++) {
            if (join(underWay.get(i)) instanceof TxnResult.Committed done) {
                versions.set(i, done.versions().get(0));
            }
        }
        return versions.get(0);
    }

    /**
     * Two updates under one check.
     *
     * @return the versions
     */
    @Benchmark
    public List<Version> transaction() {
        List<Version> written = committed(Txn.builder()
                .check(keys.get(2), versions.get(2))
                .update(keys.get(0), VALUE, versions.get(0))
                .update(keys.get(1), VALUE, versions.get(1)));
        versions.set(0, written.get(1));
        versions.set(1, written.get(2));
        return written;
    }

    /**
     * From the call of a write to the notification of another client.
     *
     * @return the revision of the write
     */
    @Benchmark
    public long watchNotification() {
        long revision = update(0).modRevision();
        while (seen.revision < revision) {
            Thread.onSpinWait();
        }
        return revision;
    }

    /**
     * From the resignation of a leader to the leadership of the next, which waits for it.
     *
     * @return the term of the next
     */
    @Benchmark
    public long electionFailOver() {
        Leadership old = join(leader.campaign);
        old.resign();
        long term = join(next.campaign).term();
        leader.stand();
        Candidate resigned = leader;
        leader = next;
        next = resigned;
        return term;
    }
}
