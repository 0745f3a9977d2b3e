package io.tidemark.conductor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.controller.BrokerRegistration;
import io.tidemark.coordination.ConnectionLostException;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.Entry;
import io.tidemark.log.StorageException;
import io.tidemark.metadata.MetadataFormatException;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.metadata.MetadataKeys;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BrokerSessionTest {
    private final VirtualCluster cluster = new VirtualCluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    // An empty store: the first broker names the cluster and takes incarnation 1.
    @Test
    void shouldCreateTheClusterAndRegisterWhenTheStoreIsEmpty() {
        Subject subject = new Subject(1, "folder-1");

        cluster.await("registered", () -> subject.registered.size() == 1);

        Registration registration = subject.registered.get(0);
        assertEquals(1, registration.broker().incarnation());
        assertEquals(1, registration.broker().intactSince());
        assertEquals(
                registration.clusterId(),
                cluster.entry(MetadataKeys.CLUSTER_ID).orElseThrow().valueText());
        assertEquals(registration.clusterId(), subject.folder.cluster.orElseThrow());
        BrokerRegistration stored = stored(1);
        assertEquals(registration.broker(), stored);
        assertEquals(
                "1",
                cluster.entry(MetadataKeys.brokerIncarnation(1)).orElseThrow().valueText());
    }

    // CO-01: the broker's own previous session has not ended at the store when the process comes back.
    @Test
    void shouldReplaceItsOwnStaleRegistrationWhenTheProcessRestarts() {
        Subject before = new Subject(1, "folder-1");
        cluster.await("registered", () -> before.registered.size() == 1);
        cluster.faults().partition(before.client);

        Subject after = new Subject(1, "folder-1");
        cluster.await("registered again", () -> after.registered.size() == 1);

        assertTrue(cluster.nowNs() < 1_000_000_000L + VirtualCluster.TTL.toNanos(), "it waited for the old session");
        assertEquals(2, after.registered.get(0).broker().incarnation());
        assertEquals(2, stored(1).incarnation());
        // The old session's end must not take the new registration away.
        cluster.advance(VirtualCluster.TTL.multipliedBy(2));
        assertEquals(2, stored(1).incarnation());
    }

    // CO-01: another broker with the same id is there; two of them must not take turns.
    @Test
    void shouldRefuseToStartWhenTheIdIsInUseByAnotherFolder() {
        Subject other = new Subject(1, "folder-other");
        cluster.await("registered", () -> other.registered.size() == 1);

        Subject subject = new Subject(1, "folder-1");
        cluster.await("refused", () -> subject.refused != null);

        String text = String.valueOf(subject.refused);
        assertTrue(
                text.startsWith("broker id is in use by another data folder: brokerId=1, host=10.0.0.1, port=7001,"
                        + " storageId=folder-other, ownStorageId=folder-1; give each broker its own id"),
                text);
        assertEquals(BrokerSession.State.CLOSED, subject.session.state());
        cluster.advance(VirtualCluster.TTL);
        assertEquals(1, stored(1).incarnation());
        assertEquals("folder-other", stored(1).storageId());
    }

    // CO-01: the registration is written, but its answer is lost.
    @Test
    void shouldFindItselfRegisteredWhenTheAnswerToTheRegistrationIsLost() {
        cluster.put(MetadataKeys.CLUSTER_ID, "c1");
        Subject subject = new Subject(1, "folder-1");
        cluster.faults().dropNextReply(subject.client);

        cluster.await("registered", () -> subject.registered.size() == 1);

        assertEquals(1, subject.registered.get(0).broker().incarnation());
        assertEquals(
                cluster.entry(MetadataKeys.brokerId(1)).orElseThrow().version(),
                subject.registered.get(0).version());
        assertEquals(
                cluster.entry(MetadataKeys.brokerIncarnation(1)).orElseThrow().version(),
                subject.registered.get(0).counterVersion());
    }

    // Simulator seed 51: the folder has noted a life that the cluster never heard of, and its numbers only grow.
    @Test
    void shouldRegisterUnderAHigherIncarnationWhenTheRequestIsLost() {
        cluster.put(MetadataKeys.CLUSTER_ID, "c1");
        Subject subject = new Subject(1, "folder-1");
        cluster.faults().dropNextRequest(subject.client);

        cluster.await("registered", () -> subject.registered.size() == 1);

        assertEquals(2, stored(1).incarnation());
    }

    // Session expired by the service: fenced at once, then a new life under a new incarnation.
    @Test
    void shouldTakeANewIncarnationWhenTheSessionExpires() {
        Subject subject = new Subject(1, "folder-1");
        cluster.await("registered", () -> subject.registered.size() == 1);

        cluster.faults().expireSession(subject.registered.get(0).session());
        cluster.settle();

        assertEquals(1, subject.lost.size());
        assertTrue(subject.lost.get(0).contains("the session ended"), subject.lost.get(0));
        assertNull(subject.session.registration());
        cluster.await("registered again", () -> subject.registered.size() == 2);
        assertEquals(2, subject.registered.get(1).broker().incarnation());
        // The process went on: nothing un-synced was lost.
        assertEquals(1, subject.registered.get(1).broker().intactSince());
        assertEquals(1, subject.lost.size());
    }

    // Cut off without a notice: the broker's own clock ends the lease, and it comes back when the network does.
    @Test
    void shouldLoseAndRegainTheRegistrationWhenTheNetworkIsSilentForLongerThanTheSession() {
        Subject subject = new Subject(1, "folder-1");
        cluster.await("registered", () -> subject.registered.size() == 1);

        cluster.faults().partition(subject.client);
        cluster.advance(VirtualCluster.TTL.plusMillis(100));

        assertEquals(1, subject.lost.size());
        cluster.advance(Duration.ofSeconds(30));
        cluster.faults().heal(subject.client);
        cluster.await("registered again", () -> subject.registered.size() == 2);
        assertEquals(2, stored(1).incarnation());
    }

    // An operator deletes the registration by hand.
    @Test
    void shouldRegisterAnewWhenItsKeyIsTakenAway() {
        Subject subject = new Subject(1, "folder-1");
        cluster.await("registered", () -> subject.registered.size() == 1);

        cluster.delete(MetadataKeys.brokerId(1));
        cluster.settle();

        assertEquals(1, subject.lost.size());
        assertTrue(subject.lost.get(0).contains("the registration was taken away: key=/brokers/ids/1"));
        cluster.await("registered again", () -> subject.registered.size() == 2);
        assertEquals(2, stored(1).incarnation());
    }

    // A snapshot of the watch that is older than the registration proves nothing.
    @Test
    void shouldKeepTheRegistrationWhenAnOldViewDoesNotShowIt() {
        Subject subject = new Subject(1, "folder-1");
        cluster.await("registered", () -> subject.registered.size() == 1);

        subject.session.ownKeySeen(
                Optional.empty(), subject.registered.get(0).version().createRevision() - 1);

        assertEquals(0, subject.lost.size());
        assertNotNull(subject.session.registration());
    }

    @Test
    void shouldRefuseToStartWhenTheFolderBelongsToAnotherCluster() {
        cluster.put(MetadataKeys.CLUSTER_ID, "cluster-b");
        Subject subject = new Subject(1, "folder-1");
        subject.folder.cluster = Optional.of("cluster-a");

        cluster.await("refused", () -> subject.refused != null);

        assertEquals(
                "data folder belongs to another cluster: dataDirectory=data, folderClusterId=cluster-a,"
                        + " storeClusterId=cluster-b; check the coordination URI and its path, or use another data"
                        + " folder",
                subject.refused);
        assertTrue(cluster.entry(MetadataKeys.brokerId(1)).isEmpty());
    }

    // The store was restored from an old backup: its controller epoch has gone back.
    @Test
    void shouldRefuseToStartWhenTheStoreHasALowerControllerEpochThanTheFolder() {
        cluster.put(MetadataKeys.CLUSTER_ID, "c1");
        cluster.put(MetadataKeys.CONTROLLER_EPOCH, "4");
        Subject subject = new Subject(1, "folder-1");
        subject.folder.epoch = 9;

        cluster.await("refused", () -> subject.refused != null);

        String text = String.valueOf(subject.refused);
        assertTrue(
                text.startsWith("the coordination service has gone back in time: key=/controller_epoch, storeEpoch=4,"
                        + " folderEpoch=9, dataDirectory=data; it was restored from an old backup"),
                text);
    }

    @Test
    void shouldRefuseToStartWhenTheFolderCannotNoteTheNewLife() {
        Subject subject = new Subject(1, "folder-1");
        subject.folder.failure = new StorageException("disk is full: file=x");

        cluster.await("refused", () -> subject.refused != null);

        assertEquals("data folder cannot begin a new life: disk is full: file=x", subject.refused);
        assertTrue(cluster.entry(MetadataKeys.brokerId(1)).isEmpty());
    }

    // CO-07: coordination is away when the broker starts.
    @Test
    void shouldGoOnTryingWhenCoordinationCannotBeReached() {
        Subject subject = new Subject(1, "folder-1");
        cluster.faults().disconnect(subject.client);
        cluster.advance(Duration.ofSeconds(20));

        assertEquals(0, subject.registered.size());
        assertTrue(
                subject.failures.size() >= 3 && subject.failures.size() <= 30, "attempts=" + subject.failures.size());
        assertTrue(subject.failures.get(0) instanceof ConnectionLostException);
        cluster.faults().heal(subject.client);
        cluster.await("registered", () -> subject.registered.size() == 1);
    }

    @Test
    void shouldRemoveTheRegistrationWhenClosed() {
        Subject subject = new Subject(1, "folder-1");
        cluster.await("registered", () -> subject.registered.size() == 1);

        subject.session.close().toCompletableFuture().join();

        assertTrue(cluster.entry(MetadataKeys.brokerId(1)).isEmpty());
        cluster.advance(Duration.ofSeconds(20));
        assertEquals(1, subject.registered.size());
        assertEquals(0, subject.lost.size());
    }

    // A life was counted by somebody between reading and writing: the conditional write fails, and the next one counts
    // on.
    @Test
    void shouldTakeTheNextNumberWhenTheCounterMovedMeanwhile() {
        cluster.put(MetadataKeys.CLUSTER_ID, "c1");
        Subject subject = new Subject(1, "folder-1");
        subject.beforeBegin = () -> cluster.put(MetadataKeys.brokerIncarnation(1), "41");

        cluster.await("registered", () -> subject.registered.size() == 1);

        assertEquals(42, subject.registered.get(0).broker().incarnation());
        assertEquals(42, subject.folder.incarnation);
    }

    private BrokerRegistration stored(int broker) {
        return MetadataJson.decodeBroker(
                "/brokers/ids/" + broker,
                cluster.entry(MetadataKeys.brokerId(broker)).orElseThrow().value());
    }

    /** One broker's session with what it told. */
    private final class Subject implements BrokerSession.Events {
        private final List<Registration> registered = new ArrayList<>();
        private final List<String> lost = new ArrayList<>();
        private final List<Throwable> failures = new ArrayList<>();
        private final FakeFolder folder = new FakeFolder();
        private final Coordination client;
        private final BrokerSession session;
        private @Nullable String refused;
        private @Nullable Runnable beforeBegin;

        private Subject(int broker, String storageId) {
            client = cluster.client("broker-" + broker);
            ConductorQueue queue = cluster.queue("conductor-" + broker);
            BrokerFolder watched = new BrokerFolder() {
                @Override
                public Optional<String> clusterId() {
                    return folder.clusterId();
                }

                @Override
                public long incarnation() {
                    return folder.incarnation();
                }

                @Override
                public CompletionStage<Long> beginIncarnation(String id, long incarnation) {
                    Runnable action = beforeBegin;
                    beforeBegin = null;
                    Optional.ofNullable(action).ifPresent(Runnable::run);
                    return folder.beginIncarnation(id, incarnation);
                }

                @Override
                public long controllerEpoch() {
                    return folder.controllerEpoch();
                }

                @Override
                public void controllerEpochSeen(long epoch) {
                    folder.controllerEpochSeen(epoch);
                }
            };
            session = new BrokerSession(
                    client,
                    new CoordinationCalls(queue),
                    watched,
                    new BrokerProfile(
                            broker,
                            "10.0.0." + broker,
                            7000 + broker,
                            "",
                            storageId,
                            Path.of("data"),
                            VirtualCluster.TTL),
                    cluster.random(),
                    this);
            BrokersWatch.open(client, broker, queue, new BrokersWatch.Events() {
                @Override
                public void brokers(Map<Integer, KnownBroker> brokers) {
                    // Only the own key matters here.
                }

                @Override
                public void ownKey(Optional<Entry> entry, long revision) {
                    session.ownKeySeen(entry, revision);
                }

                @Override
                public void brokenValue(MetadataFormatException broken) {
                    throw broken;
                }

                @Override
                public void attemptFailed(Throwable cause) {
                    // The watch goes on by itself.
                }
            });
            cluster.onTick(session::tick);
        }

        @Override
        public void registered(Registration registration) {
            registered.add(registration);
        }

        @Override
        public void lost(String reason) {
            lost.add(reason);
        }

        @Override
        public void refused(String reason) {
            refused = reason;
        }

        @Override
        public void attemptFailed(Throwable cause) {
            failures.add(cause);
        }
    }
}
