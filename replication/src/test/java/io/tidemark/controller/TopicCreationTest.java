package io.tidemark.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.partition.Durability;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What is refused, and in which words. */
class TopicCreationTest {
    private static List<BrokerRegistration> running(int count) {
        List<BrokerRegistration> brokers = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            brokers.add(Fixtures.broker(i, 1, 1));
        }
        return brokers;
    }

    private static CreateTopic request(String name, int partitions, int replicationFactor, int minIsr) {
        return new CreateTopic(name, partitions, replicationFactor, minIsr, Durability.REPLICATED);
    }

    @Test
    void shouldSayHowManyBrokersAreMissing() {
        assertRefused(
                "too few brokers for the replication factor: topic=orders, replicationFactor=3, runningBrokers=[1, 2]; "
                        + "start 1 more broker, or create the topic with replicationFactor<=2",
                request("orders", 1, 3, -1),
                2);
        assertRefused(
                "too few brokers for the replication factor: topic=orders, replicationFactor=3, runningBrokers=[]; "
                        + "start 3 more brokers",
                request("orders", 1, 3, -1),
                0);
    }

    @Test
    void shouldRefuseBadNames() {
        assertRefused(
                "invalid topic name: topic='' is empty; choose 1 to 249 letters, digits, '.', '_' or '-'",
                request("", 1, 1, 1),
                3);
        assertRefused("invalid topic name: topic=..; '.' and '..' are names of folders", request("..", 1, 1, 1), 3);
        assertRefused(
                "invalid topic name: topic=a/b, position=1, character=U+002F; use letters a-z and A-Z, digits, '.', '_'"
                        + " and '-'",
                request("a/b", 1, 1, 1),
                3);
        assertRefused(
                "invalid topic name: length=250, topic=" + "a".repeat(40) + "...; choose at most 249 characters",
                request("a".repeat(250), 1, 1, 1),
                3);
        assertTrue(TopicCreation.refusal(request("a".repeat(249), 1, 1, 1), running(3))
                .isEmpty());
        assertTrue(
                TopicCreation.refusal(request("A.b_c-9", 1, 1, 1), running(3)).isEmpty());
    }

    @Test
    void shouldRefuseBadNumbers() {
        assertRefused(
                "invalid number of partitions: topic=t, partitions=10001; choose 1 to 10000",
                request("t", 10_001, 1, 1),
                3);
        assertRefused(
                "invalid number of partitions: topic=t, partitions=-2; choose 1 to 10000", request("t", -2, 1, 1), 3);
        assertRefused(
                "invalid replication factor: topic=t, replicationFactor=-2; choose 1 or more",
                request("t", 1, -2, 1),
                3);
        assertRefused(
                "invalid minimum of in-sync replicas: topic=t, minIsr=-7; choose 1 or more", request("t", 1, 1, -7), 3);
        assertTrue(TopicCreation.refusal(request("t", 10_000, 3, 3), running(3)).isEmpty());
    }

    @Test
    void shouldRefuseDurabilityThatIsNotBuilt() {
        assertRefused(
                "durability not available: topic=t, durability=FSYNCED; this version offers REPLICATED only",
                new CreateTopic("t", 1, 1, 1, Durability.FSYNCED),
                3);
    }

    @Test
    void shouldFillInDefaults() {
        UUID id = new UUID(1, 2);
        CreateTopic open = request("t", 0, CreateTopic.DEFAULT, 0);

        assertEquals(new TopicState("t", id, 3, 3, 2, Durability.REPLICATED), TopicCreation.topic(open, id, 3));
        assertEquals(new TopicState("t", id, 3, 1, 2, Durability.REPLICATED), TopicCreation.topic(open, id, 1));
    }

    @Test
    void shouldRefuseAssignmentsThatCannotBe() {
        assertRefused(
                "the assignment has another number of partitions: topic=t, assigned=1, wanted=2; give brokers for each"
                        + " new partition",
                assigned(2, List.of(List.of(1))),
                3);
        assertRefused(
                "the assignment does not give each partition the same number of replicas: topic=t, partition=1,"
                        + " brokers=[2], replicationFactor=2; name 2 brokers",
                assigned(-1, List.of(List.of(1, 2), List.of(2))),
                3);
        assertRefused(
                "the assignment names a broker twice: topic=t, partition=0, brokers=[1, 1]; name different ones",
                assigned(-1, List.of(List.of(1, 1))),
                3);
        assertRefused(
                "the assignment names a broker that is not running: topic=t, partition=0, brokers=[1, 9],"
                        + " runningBrokers=[1, 2, 3]; start it, or choose running ones",
                assigned(-1, List.of(List.of(1, 9))),
                3);
        assertRefused(
                "invalid replication factor: topic=t, replicationFactor=0; choose 1 or more",
                assigned(-1, List.of(List.of())),
                3);
        assertTrue(TopicCreation.refusal(assigned(2, List.of(List.of(3, 1), List.of(1, 2))), running(3))
                .isEmpty());
    }

    @Test
    void shouldRefuseMorePartitionsThanBrokersOrLimitsAllow() {
        TopicState topic = new TopicState("t", new UUID(1, 2), 3, 2, 2, Durability.REPLICATED);

        assertEquals(
                Optional.of("invalid number of partitions: topic=t, partitions=10001; choose at most 10000"),
                TopicCreation.refusal(new AddPartitions("t", 10_001, Placement.SPREAD, List.of()), topic, running(3)));
        assertEquals(
                Optional.of("too few brokers for the replication factor: topic=t, replicationFactor=2,"
                        + " runningBrokers=[1]; start 1 more broker, or create the topic with replicationFactor<=1"),
                TopicCreation.refusal(new AddPartitions("t", 4, Placement.SPREAD, List.of()), topic, running(1)));
        assertEquals(
                Optional.of("the assignment does not give each partition the same number of replicas: topic=t,"
                        + " partition=3, brokers=[1], replicationFactor=2; name 2 brokers"),
                TopicCreation.refusal(
                        new AddPartitions("t", 4, Placement.SPREAD, List.of(List.of(1))), topic, running(3)));
    }

    private static CreateTopic assigned(int partitions, List<List<Integer>> assignment) {
        return new CreateTopic(
                "t", partitions, -1, 1, Durability.REPLICATED, Placement.SPREAD, assignment, TopicConfig.DEFAULT);
    }

    private static void assertRefused(String text, CreateTopic request, int brokers) {
        assertEquals(Optional.of(text), TopicCreation.refusal(request, running(brokers)));
    }
}
