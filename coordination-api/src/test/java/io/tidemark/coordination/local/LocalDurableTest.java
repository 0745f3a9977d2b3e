package io.tidemark.coordination.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.coordination.Await;
import io.tidemark.coordination.ConnectionLostException;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.Coordinations;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Listing;
import io.tidemark.coordination.OutcomeUnknownException;
import io.tidemark.coordination.ReadMode;
import io.tidemark.coordination.Session;
import io.tidemark.coordination.TooLargeException;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnResult;
import io.tidemark.coordination.Version;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store in a folder: what survives the process, who may open it, and what a broken disk does. */
final class LocalDurableTest {
    private static final Duration TTL = Duration.ofSeconds(6);
    private static final LocalStore.DurableLimits LIMITS = new LocalStore.DurableLimits(10_000, 400);
    private static final CoordinationConfig DIRECT =
            CoordinationConfig.builder().callbackExecutor(Runnable::run).build();

    @TempDir
    Path folder;

    private Coordination openDisk() {
        return Coordinations.open(folder.resolve("c").toUri().toString().replace("file:", "local:"), DIRECT);
    }

    private static LocalStore open(FaultyFolder at) {
        return LocalStore.open(new VirtualClock(), false, at, LIMITS);
    }

    private static TxnResult.Committed committed(CompletionStage<TxnResult> stage) {
        return assertInstanceOf(TxnResult.Committed.class, Await.value(stage));
    }

    private static Txn put(String path, int size) {
        return Txn.builder().create(Key.of(path), new byte[size]).build();
    }

    private static Map<String, Version> versions(Coordination client) {
        Listing listing = Await.value(client.list(Key.ROOT, ReadMode.LINEARIZABLE));
        Map<String, Version> versions = new TreeMap<>();
        for (Entry entry : listing.entries()) {
            versions.put(entry.key().path(), entry.version());
        }
        return versions;
    }

    // Opened again: keys that stay are there as they were; those of sessions are gone; revisions and ids go on.
    @Test
    void shouldKeepKeysAndEndSessionsOverARestart() {
        Version version;
        long sessionId;
        long lastRevision;
        try (Coordination client = openDisk()) {
            Session session = Await.value(client.openSession(TTL));
            sessionId = session.id();
            version = committed(client.commit(put("/stays", 3))).versions().get(0);
            lastRevision = committed(client.commit(Txn.builder()
                            .createEphemeral(Key.of("/ends"), new byte[1], session)
                            .check(Key.of("/stays"), version)
                            .build()))
                    .revision();
        }
        try (Coordination client = openDisk()) {
            assertEquals(Map.of("/stays", version), versions(client));
            assertNotEquals(sessionId, Await.value(client.openSession(TTL)).id());
            long next = committed(client.commit(put("/next", 1))).revision();
            assertTrue(next > lastRevision + 1, "next=" + next + ", last=" + lastRevision);
            committed(client.commit(
                    Txn.builder().update(Key.of("/stays"), new byte[4], version).build()));
        }
    }

    @Test
    void shouldRefuseAFolderThatIsInUse() {
        try (Coordination first = openDisk()) {
            CoordinationException refused = assertThrows(CoordinationException.class, this::openDisk);
            assertEquals(
                    "the folder of a local: store is in use: folder=" + folder.resolve("c")
                            + "; only one process may have it open: end the other one, give this one a folder of its"
                            + " own, or use a coordination server for several",
                    refused.getMessage());
            committed(first.commit(put("/still", 1)));
        }
        openDisk().close();
    }

    @Test
    void shouldRefuseWhatIsNoFolder() throws Exception {
        Path file = Files.writeString(folder.resolve("c"), "a file");
        CoordinationException refused = assertThrows(CoordinationException.class, this::openDisk);
        assertTrue(
                String.valueOf(refused.getMessage())
                        .startsWith("the folder of a local: store cannot be opened: folder=" + file + ", reason="),
                refused.getMessage());
    }

    @Test
    void shouldNameADamagedFile() throws Exception {
        try (Coordination client = openDisk()) {
            committed(client.commit(put("/a", 1)));
        }
        Path journal = folder.resolve("c").resolve(Journal.FILE);
        byte[] bytes = Files.readAllBytes(journal);
        bytes[20] ^= 1;
        Files.write(journal, bytes);
        for (int i = 0; i < 2; i++) {
            CoordinationException refused = assertThrows(CoordinationException.class, this::openDisk);
            assertTrue(
                    String.valueOf(refused.getMessage()).contains("file=" + journal + ", position=8,"),
                    refused.getMessage());
        }
    }

    @Test
    void shouldRefusePathsThatAreNotAbsolute() {
        for (String uri : List.of("local:folder", "local:./folder", "local://host/folder", "local:/", "local:/a?b")) {
            IllegalArgumentException refused =
                    assertThrows(IllegalArgumentException.class, () -> Coordinations.open(uri, DIRECT));
            assertEquals(
                    "a local: store is in memory or in a folder with an absolute path: uri=" + uri
                            + "; write local: or such as local:/var/lib/tidemark/coordination",
                    refused.getMessage());
        }
    }

    // The process dies, or the machine, at a step of a run with commits and compactions: what was acknowledged is
    // there.
    @Test
    void shouldKeepWhatWasAcknowledgedAfterACrash() {
        FaultyFolder whole = FaultyFolder.working();
        Map<String, Version> all = new TreeMap<>();
        assertEquals(12, run(whole, all).size());
        long steps = whole.steps();
        // Every byte is tried in JournalTest; here every 37th step, which all kinds of steps are among.
        for (long step = 1; step < steps; step += 37) {
            FaultyFolder crashing = FaultyFolder.crashingAt(step);
            Map<String, Version> acknowledged = new TreeMap<>();
            List<Throwable> ends = run(crashing, acknowledged);
            for (FaultyFolder left : List.of(crashing.afterKill(), crashing.afterPowerFailure())) {
                String when = "step=" + step + ", ends=" + ends;
                try (LocalStore store = open(left);
                        Coordination client = store.connect(DIRECT)) {
                    Map<String, Version> found = versions(client);
                    assertTrue(found.entrySet().containsAll(acknowledged.entrySet()), when);
                    assertTrue(found.size() <= acknowledged.size() + 1, when);
                    long last = acknowledged.values().stream()
                            .mapToLong(Version::modRevision)
                            .max()
                            .orElse(0);
                    assertTrue(committed(client.commit(put("/after", 1))).revision() > last, when);
                }
            }
        }
    }

    /** Commits one after the other until the folder crashes; gives how each call ended. */
    private static List<Throwable> run(FaultyFolder at, Map<String, Version> acknowledged) {
        List<Throwable> ends = new ArrayList<>();
        try (LocalStore store = open(at);
                Coordination client = store.connect(DIRECT)) {
            for (int i = 0; i < 12; i++) {
                String path = "/key" + i;
                Throwable end = Await.value(client.commit(put(path, 30)).handle((result, failure) -> {
                    if (result instanceof TxnResult.Committed committed) {
                        acknowledged.put(path, committed.versions().get(0));
                    }
                    return failure == null ? new Throwable("none") : failure;
                }));
                ends.add(end);
            }
        } catch (CoordinationException notOpened) {
            ends.add(notOpened);
        }
        return ends;
    }

    // The disk fails: the write on its way is unknown, sessions end, watches are stale, everything later fails.
    @Test
    void shouldFailForGoodAfterAFailedWrite() {
        FaultyFolder disk = FaultyFolder.working();
        try (LocalStore store = open(disk);
                Coordination client = store.connect(DIRECT)) {
            Session session = Await.value(client.openSession(TTL));
            disk.crashAfter(5);
            Await.failure(OutcomeUnknownException.class, client.commit(put("/a", 1)));
            assertEquals(Session.State.EXPIRED, Await.value(session.terminated()));
            for (CompletionStage<?> later : List.of(
                    client.commit(put("/b", 1)), client.get(Key.of("/a"), ReadMode.LOCAL), client.openSession(TTL))) {
                ConnectionLostException failure = Await.failure(ConnectionLostException.class, later);
                assertEquals(
                        "the local: store has failed and stays closed to all calls: folder=/faulty,"
                                + " reason=java.io.IOException: planned crash;"
                                + " see to the disk, then close the store and open it anew",
                        failure.getMessage());
            }
        }
        assertEquals(0, disk.openOutputs());
        assertTrue(!disk.isLocked(), "the folder is given up");
    }

    // Many writers: their commits share forces, and the journal does not grow without end.
    @Test
    void shouldGroupCommitsAndBoundTheJournal() throws Exception {
        FaultyFolder disk = FaultyFolder.working();
        List<CompletionStage<TxnResult>> commits = new ArrayList<>();
        try (LocalStore store = open(disk);
                Coordination client = store.connect(DIRECT)) {
            Version version =
                    committed(client.commit(put("/counter", 8))).versions().get(0);
            for (int i = 0; i < 500; i++) {
                // The versions of a local: store are known in advance: nothing else writes.
                Version expected = i == 0
                        ? version
                        : new Version(version.createRevision(), version.modRevision() + i, version.modRevision() + i);
                commits.add(client.commit(Txn.builder()
                        .update(Key.of("/counter"), new byte[8], expected)
                        .build()));
            }
            commits.forEach(LocalDurableTest::committed);
        }
        byte[] journal = disk.read(Journal.FILE);
        assertTrue(journal != null && journal.length < 40_000, "journal of " + disk.steps() + " steps");
    }

    @Test
    void shouldRefuseToGrowBeyondItsLimit() {
        try (LocalStore store = open(FaultyFolder.working());
                Coordination client = store.connect(DIRECT)) {
            committed(client.commit(put("/a", 9_996)));
            TooLargeException full = Await.failure(TooLargeException.class, client.commit(put("/bb", 0)));
            assertEquals(
                    "the local: store is full: folder=/faulty, sizeBytes=9998, sizeBytesMax=10000;"
                            + " delete keys, or use a coordination server",
                    full.getMessage());
            committed(client.commit(put("/b", 0)));
        }
    }
}
