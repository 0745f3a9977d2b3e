package io.tidemark.conductor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.conductor.TopicStorageTest.Fault;
import io.tidemark.conductor.TopicStorageTest.World;
import io.tidemark.controller.AdminResult;
import io.tidemark.controller.CreateTopic;
import io.tidemark.controller.DeleteTopic;
import io.tidemark.controller.Tombstone;
import io.tidemark.controller.TopicState;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.LeaderElection;
import io.tidemark.coordination.Leadership;
import io.tidemark.coordination.Session;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.metadata.MetadataKeys;
import io.tidemark.partition.Durability;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Deletions of topics, and what is left when something breaks between any two of their writes. */
class TopicRemovalTest {
    /** Needs four transactions: the topic with its tombstone, then 96, 96 and 8 partitions. */
    private static final int PARTITIONS = 200;

    private static final int TRANSACTIONS = 4;
    private static final DeleteTopic DELETE = new DeleteTopic("t", Optional.empty());

    private static CreateTopic topic(int partitions) {
        return new CreateTopic("t", partitions, 2, 1, Durability.REPLICATED);
    }

    private static UUID create(World world, int partitions) {
        AdminResult created = world.await(world.first.admin(topic(partitions)));
        return ((AdminResult.Done) created).topic().topicId();
    }

    private static boolean hasTombstone(World world, UUID topicId) {
        return world.cluster.entry(MetadataKeys.tombstone(topicId)).isPresent();
    }

    // CP-06, C-02, must be seen: the controller dies at each of its writes, which is lost, or applied, or still on its
    // way. The topic is whole or gone for ever; the next controller ends the job, and the name can be used again.
    @Test
    void shouldDeleteAllOrNothingWhenTheControllerDiesAtAnyWrite() {
        for (Fault fault : Fault.values()) {
            for (int nth = 1; nth <= TRANSACTIONS; nth++) {
                dieAt(fault, nth);
            }
        }
    }

    private static void dieAt(Fault fault, int nth) {
        try (World world = new World()) {
            String where = "fault=" + fault + ", write=" + nth;
            UUID old = create(world, PARTITIONS);
            fault.inject(world, nth);
            world.first.admin(DELETE);
            world.killAtFault();
            ControllerNode next = world.elect(2);
            world.cluster.faults().deliverDelayed(world.first.client);
            world.cluster.advance(Duration.ofSeconds(1));

            boolean isGone = world.topic().isEmpty();
            assertEquals(isGone, hasTombstone(world, old), where);
            assertEquals(isGone ? 0 : PARTITIONS, world.partitions().size(), where);
            assertTrue(isGone || nth == 1, where);
            AdminResult again = world.await(next.admin(DELETE));
            assertEquals(isGone, again instanceof AdminResult.Unknown, where + ": " + again);
            AdminResult anew = world.await(next.admin(topic(3)));
            assertTrue(anew instanceof AdminResult.Done, where + ": " + anew);
            world.cluster.await("old records gone", () -> world.partitions().size() == 3);
            assertNotEquals(old, world.topic().orElseThrow().topicId());
            assertTrue(hasTombstone(world, old), where);
            assertTrue(world.broken.isEmpty(), world.broken.toString());
        }
    }

    // The controller lives on, and only its write is lost or delayed: the topic is deleted all the same, once.
    @Test
    void shouldDeleteTheTopicWhateverBecomesOfAWrite() {
        for (Fault fault : Fault.values()) {
            for (int nth = 1; nth <= TRANSACTIONS; nth++) {
                try (World world = new World()) {
                    UUID old = create(world, PARTITIONS);
                    fault.inject(world, nth);
                    AdminResult deleted = world.await(world.first.admin(DELETE));
                    assertTrue(deleted instanceof AdminResult.Done, deleted.toString());
                    world.cluster.await("records gone", () -> world.partitions().isEmpty());
                    world.cluster.faults().deliverDelayed(world.first.client);
                    world.cluster.advance(Duration.ofSeconds(1));
                    assertTrue(world.topic().isEmpty());
                    assertTrue(world.partitions().isEmpty());
                    assertTrue(hasTombstone(world, old));
                    assertTrue(world.first.view.records().isEmpty());
                }
            }
        }
    }

    // K-04: a write of the creation that is still on its way when the topic is deleted does not bring it back, nor does
    // it touch the next topic of the name.
    @Test
    void shouldNotBringATopicBackWhenAWriteOfItsCreationIsLate() {
        for (boolean isRecreated : List.of(false, true)) {
            try (World world = new World()) {
                Fault.DELAYED.inject(world, 1);
                create(world, 3);
                world.await(world.first.admin(DELETE));
                world.cluster.await("records gone", () -> world.partitions().isEmpty());
                Optional<UUID> next = isRecreated ? Optional.of(create(world, 2)) : Optional.empty();

                world.cluster.faults().deliverDelayed(world.first.client);
                world.cluster.advance(Duration.ofSeconds(1));

                assertEquals(next, world.topic().map(TopicState::topicId), "isRecreated=" + isRecreated);
                assertTrue(world.broken.isEmpty(), world.broken.toString());
            }
        }
    }

    // A topic of the greatest size is created and deleted, and leaves no key but the two that
    // say so.
    @Test
    void shouldDeleteTenThousandPartitions() {
        try (World world = new World()) {
            UUID old = create(world, 10_000);
            assertEquals(10_000, world.first.view.records().size());
            assertTrue(world.await(world.first.admin(DELETE)) instanceof AdminResult.Done);
            world.cluster.await("records gone", () -> world.partitions().isEmpty());
            assertTrue(hasTombstone(world, old));
            assertTrue(world.first.view.records().isEmpty());
        }
    }

    // C-03: the name is used again at once, while the old records are still being removed.
    @Test
    void shouldCreateATopicAnewWhileItsOldRecordsGo() {
        try (World world = new World()) {
            UUID old = create(world, PARTITIONS);
            world.cluster.faults().delayRequest(world.first.client, 2);
            assertTrue(world.await(world.first.admin(DELETE)) instanceof AdminResult.Done);
            UUID anew = create(world, 5);
            assertNotEquals(old, anew);
            assertTrue(world.partitions().size() > 5);

            world.cluster.faults().deliverDelayed(world.first.client);
            world.cluster.await("old records gone", () -> world.partitions().size() == 5);

            assertEquals(anew, world.topic().orElseThrow().topicId());
            assertEquals(5, world.first.view.records().size());
        }
    }

    // The inbox of the original design: a wish that somebody writes by hand is met, and taken away.
    @Test
    void shouldDeleteATopicWhenAPersonAsksForItByHand() {
        try (World world = new World()) {
            create(world, 2);
            world.cluster.put(MetadataKeys.DELETE_TOPICS.child("t"), "");
            world.cluster.await("deleted", () -> world.topic().isEmpty());
            world.cluster.await(
                    "taken away",
                    () -> world.cluster
                            .entry(MetadataKeys.DELETE_TOPICS.child("t"))
                            .isEmpty());
            assertEquals(List.of(), world.first.refusedWishes);

            world.cluster.put(MetadataKeys.DELETE_TOPICS.child("nobody"), "");
            world.cluster.await(
                    "taken away",
                    () -> world.cluster
                            .entry(MetadataKeys.DELETE_TOPICS.child("nobody"))
                            .isEmpty());
            assertEquals(1, world.first.refusedWishes.size());
        }
    }

    // delete.topic.enable=false: a wish is removed with a warning, one that a new controller finds too.
    @Test
    void shouldTakeWishesAwayUnmetWhenDeletionsAreSwitchedOff() {
        try (World world = new World()) {
            world.first.isDeletionAllowed = true;
            create(world, 2);
            world.first.kill();
            world.cluster.put(MetadataKeys.DELETE_TOPICS.child("t"), "");
            ControllerNode next = new ControllerNode(world.cluster, 2);
            next.isDeletionAllowed = false;
            world.cluster.await(
                    "taken away",
                    () -> world.cluster
                            .entry(MetadataKeys.DELETE_TOPICS.child("t"))
                            .isEmpty());

            assertTrue(world.topic().isPresent());
            assertEquals(1, next.refusedWishes.size(), next.refusedWishes.toString());
            assertTrue(next.refusedWishes.get(0).contains("/admin/delete_topics/t"), next.refusedWishes.toString());
            assertTrue(next.refusedWishes.get(0).contains("delete.topic.enable=false"), next.refusedWishes.toString());
            world.cluster.put(MetadataKeys.DELETE_TOPICS.child("t"), "");
            world.cluster.await("taken away again", () -> next.refusedWishes.size() == 2);
            assertTrue(world.topic().isPresent());
        }
    }

    // Tombstones, and what marks a name as free, are kept for days and not for ever.
    @Test
    void shouldForgetDeletionsAfterDays() {
        UUID old = new UUID(7, 8);
        try (VirtualCluster cluster = new VirtualCluster()) {
            Coordination client = cluster.client("controller");
            Session session =
                    client.openSession(VirtualCluster.TTL).toCompletableFuture().join();
            Leadership leadership = LeaderElection.byName(
                            client, MetadataKeys.CONTROLLER, MetadataKeys.CONTROLLER_EPOCH)
                    .campaign(session, new byte[0])
                    .toCompletableFuture()
                    .join();
            cluster.put(MetadataKeys.topic("t"), text(MetadataJson.encodeNoTopic(old)));
            cluster.put(MetadataKeys.tombstone(old), text(MetadataJson.encode(new Tombstone(old, "t", 5_000))));
            TopicRemoval removal =
                    new TopicRemoval(client, new CoordinationCalls(Runnable::run), leadership, new NeverOver());

            removal.expireTombstones(5_000 + TopicRemoval.TOMBSTONE_KEPT_MS);
            assertTrue(cluster.entry(MetadataKeys.tombstone(old)).isPresent());
            removal.expireTombstones(5_001 + TopicRemoval.TOMBSTONE_KEPT_MS);

            assertTrue(cluster.entry(MetadataKeys.tombstone(old)).isEmpty());
            assertTrue(cluster.entry(MetadataKeys.topic("t")).isEmpty());
        }
    }

    private static String text(byte[] value) {
        return new String(value, StandardCharsets.UTF_8);
    }

    /** A term in which nothing fails. */
    private static final class NeverOver implements TopicStorage.Term {
        @Override
        public boolean isOver() {
            return false;
        }

        @Override
        public void superseded(String reason) {
            throw new AssertionError(reason);
        }

        @Override
        public void attemptFailed(Throwable cause) {
            throw new AssertionError(cause);
        }

        @Override
        public void later(Runnable action) {
            throw new AssertionError("nothing to repeat");
        }
    }
}
