package io.tidemark.tools.check;

import io.tidemark.coordination.AccessDeniedException;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.LeaderElection;
import io.tidemark.coordination.Leadership;
import io.tidemark.coordination.Limits;
import io.tidemark.coordination.ReadMode;
import io.tidemark.coordination.Session;
import io.tidemark.coordination.TooLargeException;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnResult;
import io.tidemark.coordination.Version;
import io.tidemark.coordination.Watch;
import io.tidemark.tools.system.Machine;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/**
 * Tries all that brokers need of a coordination service, and prints a verdict for each. Not thread-safe.
 */
public final class ServiceCheck {
    private static final int SAMPLES = 50;
    private static final Duration TTL = Duration.ofSeconds(2);
    private static final String SKIPPED = "skipped";

    private final Coordination client;
    private final Key top;
    private final Duration timeout;
    private final PrintStream out;
    private int failures;
    private boolean isReachable = true;
    private boolean hasWritten;

    /** One of the steps; gives what to print beside its verdict. */
    private interface Step {
        String run() throws CheckFailure;
    }

    /** A step that did not come out right. */
    private static final class CheckFailure extends Exception {
        private static final long serialVersionUID = 1L;

        CheckFailure(String message) {
            super(message);
        }
    }

    /**
     * Prepares.
     *
     * @param client a client of the service, which the caller closes
     * @param runId makes the key of this check unlike others
     * @param timeout how long to wait for what must come, such as a notification
     * @param out receives a line for each step
     */
    public ServiceCheck(Coordination client, String runId, Duration timeout, PrintStream out) {
        this.client = client;
        this.top = Key.of("/tidemark-check-" + runId);
        this.timeout = timeout;
        this.out = out;
    }

    /**
     * Tries everything. Takes a few seconds, most of it for a session that must outlive its time to live.
     *
     * @return how many steps failed; 0 if the service serves
     */
    public int run() {
        step("connect", this::connect);
        if (isReachable) {
            step("permissions", this::permissions);
        }
        boolean isUsable = failures == 0;
        stepIf(isUsable, "write", this::writeLatency);
        stepIf(isUsable, "read", this::readLatency);
        stepIf(isUsable, "transaction", this::transaction);
        stepIf(isUsable, "watch", this::watch);
        stepIf(isUsable, "session", this::session);
        stepIf(isUsable, "election", this::election);
        stepIf(isUsable, "limits", this::limits);
        if (isReachable) {
            step("cleanup", this::cleanUp);
        }
        out.println(failures == 0 ? "result: OK" : "result: FAILED, problems=" + failures);
        out.flush();
        return failures;
    }

    private void stepIf(boolean condition, String name, Step step) {
        if (condition) {
            step(name, step);
        } else {
            print(SKIPPED, name, "needs the steps before");
        }
    }

    private void step(String name, Step step) {
        try {
            print("ok", name, step.run());
        } catch (CheckFailure failed) {
            fail(name, String.valueOf(failed.getMessage()));
        } catch (CoordinationException failed) {
            fail(name, String.valueOf(failed.getMessage()));
        }
    }

    private void fail(String name, String why) {
        failures++;
        print("FAILED", name, why);
    }

    private void print(String verdict, String name, String text) {
        out.printf("%-8s %-12s %s%n", verdict, name, text);
        out.flush();
    }

    /** Waits for a result; its failure comes as it is. */
    private <T> T await(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().join();
        } catch (CompletionException failed) {
            if (failed.getCause() instanceof CoordinationException own) {
                throw own;
            }
            throw failed;
        }
    }

    private String connect() throws CheckFailure {
        long beganNs = Machine.nanoTime();
        try {
            await(client.list(Key.ROOT, ReadMode.LINEARIZABLE));
        } catch (AccessDeniedException denied) {
            // The service answers; what is allowed is the next step.
            return "answers after " + Latencies.millis(Machine.nanoTime() - beganNs) + ", but does not let us list";
        } catch (CoordinationException unreachable) {
            isReachable = false;
            throw new CheckFailure(String.valueOf(unreachable.getMessage()));
        }
        return "answers after " + Latencies.millis(Machine.nanoTime() - beganNs);
    }

    private String permissions() throws CheckFailure {
        Key key = top.child("permissions").child("key");
        Version created = createKey(key, new byte[] {1});
        Entry read = read(key);
        require(read.version().equals(created), "a key that was written shows another version: key=" + key);
        Version updated = committed(Txn.builder().update(key, new byte[] {2}, created));
        require(
                await(client.list(key.parent(), ReadMode.LINEARIZABLE))
                                .entries()
                                .size()
                        == 1,
                "a key that was written is not listed: key=" + key);
        await(client.commit(Txn.builder().delete(key, updated).build()));
        require(
                await(client.get(key, ReadMode.LINEARIZABLE)).isEmpty(),
                "a key that was deleted is still there: key=" + key);
        return "create, read, update, list, delete below " + top;
    }

    private String writeLatency() throws CheckFailure {
        Key key = top.child("latency");
        Version version = createKey(key, new byte[100]);
        Latencies latencies = new Latencies();
        for (int i = 0; i < SAMPLES; i++) {
            long beganNs = Machine.nanoTime();
            version = committed(Txn.builder().update(key, new byte[100], version));
            latencies.add(Machine.nanoTime() - beganNs);
        }
        return latencies + " for a conditional write of 100 bytes";
    }

    private String readLatency() throws CheckFailure {
        Key key = top.child("latency");
        Latencies latencies = new Latencies();
        for (int i = 0; i < SAMPLES; i++) {
            long beganNs = Machine.nanoTime();
            read(key);
            latencies.add(Machine.nanoTime() - beganNs);
        }
        return latencies + " for a linearizable read";
    }

    private String transaction() throws CheckFailure {
        Key one = top.child("txn").child("one");
        Key two = top.child("txn").child("two");
        Version first = committed(Txn.builder().create(one, new byte[] {1}).create(two, new byte[] {1}));
        committed(Txn.builder().update(one, new byte[] {2}, first));
        TxnResult stale = await(client.commit(Txn.builder()
                .update(two, new byte[] {3}, read(two).version())
                .check(one, first)
                .build()));
        require(
                stale.equals(new TxnResult.Conflict(1, TxnResult.Kind.VERSION)),
                "a transaction with a stale version was not refused: result=" + stale);
        require(read(two).value()[0] == 1, "a refused transaction has changed a key: key=" + two);
        return "all or nothing, and a stale version is refused";
    }

    private String watch() throws CheckFailure {
        Key dir = top.child("watch");
        Key key = dir.child("key");
        WatchProbe probe = new WatchProbe();
        Latencies latencies = new Latencies();
        try (Watch watch = client.watch(dir, probe)) {
            await(watch.ready().thenApply(ready -> true));
            Version version = createKey(key, new byte[] {0});
            awaitSeen(probe, version.modRevision());
            for (int i = 0; i < SAMPLES; i++) {
                long beganNs = Machine.nanoTime();
                version = committed(Txn.builder().update(key, new byte[] {1}, version));
                awaitSeen(probe, version.modRevision());
                latencies.add(Machine.nanoTime() - beganNs);
            }
            await(client.commit(Txn.builder().delete(key, version).build()));
            awaitCondition(() -> probe.isDeleted(key), "the watch did not see a deletion: key=" + key);
        }
        return latencies + " from a write to its notification";
    }

    private void awaitSeen(WatchProbe probe, long revision) throws CheckFailure {
        awaitCondition(() -> probe.revision() >= revision, "the watch did not see a write: revision=" + revision);
    }

    /** As short as brokers may have it, so that the check is short. */
    private Duration shortTtl() {
        Duration shortest = client.limits().minTtl();
        return shortest.compareTo(TTL) > 0 ? shortest : TTL;
    }

    private String session() throws CheckFailure {
        Key key = top.child("session").child("key");
        Duration wish = shortTtl();
        Session session = await(client.openSession(wish));
        try {
            committed(Txn.builder().createEphemeral(key, new byte[] {1}, session));
            long beganNs = Machine.nanoTime();
            Duration hold = session.ttl().multipliedBy(3).dividedBy(2);
            while (Machine.nanoTime() - beganNs < hold.toNanos()) {
                require(!session.state().isFinal(), "the session ended by itself: session=" + session);
                Machine.park(10_000_000);
            }
            require(session.isValid(Duration.ZERO), "the session was not renewed in time: session=" + session);
            require(read(key).isOwnedBy(session), "an ephemeral key does not belong to its session: key=" + key);
        } finally {
            await(session.closeAsync().thenApply(closed -> true));
        }
        require(
                await(client.get(key, ReadMode.LINEARIZABLE)).isEmpty(),
                "an ephemeral key outlived its session: key=" + key);
        return "renewed beyond its time to live of " + session.ttl().toMillis() + " ms, asked for " + wish.toMillis()
                + " ms; its key went with it";
    }

    private String election() throws CheckFailure {
        Key leader = top.child("leader");
        Key term = top.child("leader_epoch");
        Session session = await(client.openSession(shortTtl()));
        try {
            LeaderElection election = LeaderElection.byName(client, leader, term);
            long beganNs = Machine.nanoTime();
            Leadership first = within(election.campaign(session, new byte[0]));
            final long electedNs = Machine.nanoTime() - beganNs;
            committed(first.guard(Txn.builder()).create(top.child("guarded"), new byte[0]));
            within(first.resign().thenApply(resigned -> true));
            Leadership second = within(election.campaign(session, new byte[0]));
            require(
                    second.term() == first.term() + 1,
                    "the term did not grow by one: first=" + first.term() + ", second=" + second.term());
            TxnResult late = await(client.commit(first.guard(Txn.builder())
                    .create(top.child("late"), new byte[0])
                    .build()));
            require(!late.isCommitted(), "a write of the leader before was taken");
            return "elected after " + Latencies.millis(electedNs) + "; a deposed leader may not write";
        } finally {
            await(session.closeAsync().thenApply(closed -> true));
        }
    }

    private <T> T within(CompletionStage<T> stage) throws CheckFailure {
        try {
            return await(stage.toCompletableFuture().copy().orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS));
        } catch (CompletionException failed) {
            if (failed.getCause() instanceof TimeoutException) {
                throw new CheckFailure("no leader within " + timeout.toMillis() + " ms");
            }
            throw failed;
        }
    }

    private String limits() throws CheckFailure {
        Limits limits = client.limits();
        Key large = top.child("large");
        try {
            Version version = createKey(large, new byte[limits.maxValueBytes()]);
            require(read(large).value().length == limits.maxValueBytes(), "the largest value came back shorter");
            committed(Txn.builder().delete(large, version));
            Txn.Builder many = Txn.builder();
            for (int i = 0; i < limits.maxTxnOps(); i++) {
                many.create(top.child("many").child(Integer.toString(i)), new byte[] {1});
            }
            committed(many);
        } catch (TooLargeException refused) {
            throw new CheckFailure(String.valueOf(refused.getMessage()));
        }
        return "a value of " + limits.maxValueBytes() + " bytes, and " + limits.maxTxnOps()
                + " operations in a transaction";
    }

    private String cleanUp() throws CheckFailure {
        if (!hasWritten) {
            return "nothing was written";
        }
        List<Key> directories = new ArrayList<>();
        for (String name : List.of("permissions", "txn", "watch", "session", "many")) {
            directories.add(top.child(name));
        }
        int left;
        try {
            left = SubtreeRemoval.remove(client, top, directories);
        } catch (CompletionException failed) {
            if (failed.getCause() instanceof AccessDeniedException denied) {
                throw new CheckFailure(String.valueOf(denied.getMessage()));
            }
            throw failed.getCause() instanceof CoordinationException own ? own : failed;
        }
        require(left == 0, "keys of this check are left: key=" + top + ", count=" + left + "; delete them by hand");
        return "nothing is left of " + top;
    }

    private Version createKey(Key key, byte[] value) throws CheckFailure {
        return committed(Txn.builder().create(key, value));
    }

    /** Commits, and gives the version of the first operation. */
    private Version committed(Txn.Builder builder) throws CheckFailure {
        TxnResult result = await(client.commit(builder.build()));
        if (result instanceof TxnResult.Committed done) {
            hasWritten = true;
            return done.versions().get(0);
        }
        throw new CheckFailure("a write was refused without a reason: result=" + result
                + "; does somebody else write below " + top + "?");
    }

    private Entry read(Key key) throws CheckFailure {
        Optional<Entry> entry = await(client.get(key, ReadMode.LINEARIZABLE));
        return entry.orElseThrow(() -> new CheckFailure("a key that was written is not there: key=" + key));
    }

    private void awaitCondition(BooleanSupplier condition, String problem) throws CheckFailure {
        long beganNs = Machine.nanoTime();
        while (!condition.getAsBoolean()) {
            require(Machine.nanoTime() - beganNs < timeout.toNanos(), problem + ", waited=" + timeout);
            Machine.park(50_000);
        }
    }

    private static void require(boolean holds, String problem) throws CheckFailure {
        if (!holds) {
            throw new CheckFailure(problem);
        }
    }
}
