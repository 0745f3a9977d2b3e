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
                "invalid number of partitions: topic=t, partitions=97; choose 1 to 96", request("t", 97, 1, 1), 3);
        assertRefused(
                "invalid number of partitions: topic=t, partitions=-2; choose 1 to 96", request("t", -2, 1, 1), 3);
        assertRefused(
                "invalid replication factor: topic=t, replicationFactor=-2; choose 1 or more",
                request("t", 1, -2, 1),
                3);
        assertRefused(
                "invalid minimum of in-sync replicas: topic=t, minIsr=-7; choose 1 or more", request("t", 1, 1, -7), 3);
        assertTrue(TopicCreation.refusal(request("t", 96, 3, 3), running(3)).isEmpty());
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

    private static void assertRefused(String text, CreateTopic request, int brokers) {
        assertEquals(Optional.of(text), TopicCreation.refusal(request, running(brokers)));
    }
}
