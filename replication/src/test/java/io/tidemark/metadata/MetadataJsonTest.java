package io.tidemark.metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.controller.BrokerRegistration;
import io.tidemark.controller.TopicState;
import io.tidemark.partition.Durability;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BiFunction;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** What is written can be read by people and by us; what is wrong is named. */
class MetadataJsonTest {
    private static final String KEY = "/brokers/topics/t/x/partitions/0/state";
    private static final PartitionState STATE = new PartitionState(
            List.of(1, 2, 3),
            List.of(),
            List.of(),
            new Replica(1, 10),
            4,
            9,
            List.of(new Replica(1, 10)),
            List.of(new Replica(2, 20)),
            2,
            Durability.REPLICATED,
            7,
            List.of());
    private static final String STATE_JSON = "{\"assignment\":[1,2,3],\"adding\":[],\"removing\":[],\"target\":[],"
            + "\"leader\":{\"broker\":1,\"incarnation\":10},\"leaderEpoch\":4,\"partitionEpoch\":9,"
            + "\"isr\":[{\"broker\":1,\"incarnation\":10}],\"elr\":[{\"broker\":2,\"incarnation\":20}],"
            + "\"minIsr\":2,\"durability\":\"REPLICATED\",\"controllerEpoch\":7}";

    // The stored form is a promise to later versions.
    @Test
    void shouldKeepTheStoredForm() {
        assertEquals(STATE_JSON, text(MetadataJson.encode(STATE)));
        assertEquals(
                "{\"broker\":3,\"incarnation\":12,\"intactSince\":5,\"host\":\"h\",\"port\":9092,\"rack\":\"r\","
                        + "\"storageId\":\"s\",\"status\":\"LEAVING\"}",
                text(MetadataJson.encode(
                        new BrokerRegistration(3, 12, 5, "h", 9092, "r", "s", BrokerRegistration.Status.LEAVING))));
        assertEquals(
                "{\"name\":\"t\",\"topicId\":\"00000000-0000-0001-0000-000000000002\",\"partitions\":3,"
                        + "\"replicationFactor\":2,\"minIsr\":1,\"durability\":\"FSYNCED\",\"revision\":0}",
                text(MetadataJson.encode(new TopicState("t", new UUID(1, 2), 3, 2, 1, Durability.FSYNCED))));
        assertEquals("{\"broker\":3,\"incarnation\":12}", text(MetadataJson.encodeController(new Replica(3, 12))));
        assertEquals("42", text(MetadataJson.encodeNumber(42)));
    }

    @Property(tries = 300, seed = "20261205")
    void shouldReadPartitionsThatItWrote(
            @ForAll @IntRange(min = 1, max = 5) int replicas,
            @ForAll @IntRange(min = 0, max = 5) int inSync,
            @ForAll @IntRange(min = 1, max = 4) int minIsr,
            @ForAll @LongRange(min = 0) long incarnation,
            @ForAll @IntRange(min = 0) int epoch) {
        List<Integer> assignment = new ArrayList<>();
        List<Replica> isr = new ArrayList<>();
        List<Replica> elr = new ArrayList<>();
        for (int i = 0; i < replicas; i++) {
            assignment.add(i * 7);
            (i < inSync ? isr : elr).add(new Replica(i * 7, incarnation));
        }
        PartitionState state = new PartitionState(
                assignment,
                List.of(100),
                List.of(0),
                isr.isEmpty() ? Replica.NONE : isr.get(0),
                epoch,
                epoch,
                isr,
                isr.size() < Math.min(minIsr, replicas) ? elr : List.of(),
                minIsr,
                Durability.FSYNCED,
                incarnation,
                PartitionState.targetOf(assignment, List.of(100), List.of(0)));

        assertEquals(state, MetadataJson.decodePartition(KEY, MetadataJson.encode(state)));
    }

    @Property(tries = 300, seed = "20261206")
    void shouldReadBrokersAndTopicsThatItWrote(
            @ForAll @Size(max = 20) String text,
            @ForAll @IntRange(min = 1, max = 65_535) int port,
            @ForAll @LongRange(min = 0) long incarnation) {
        // A lone half of a surrogate pair is no text, and is not kept in UTF-8.
        String valid = new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
        BrokerRegistration broker = new BrokerRegistration(
                port, incarnation, incarnation / 2, valid, port, valid, valid, BrokerRegistration.Status.RUNNING);
        TopicState topic = new TopicState(valid, new UUID(incarnation, port), port, port, port, Durability.REPLICATED);
        Replica controller = new Replica(port, incarnation);

        assertEquals(broker, MetadataJson.decodeBroker(KEY, MetadataJson.encode(broker)));
        assertEquals(topic, MetadataJson.decodeTopic(KEY, MetadataJson.encode(topic)));
        assertEquals(controller, MetadataJson.decodeController(KEY, MetadataJson.encodeController(controller)));
        assertEquals(incarnation, MetadataJson.decodeNumber(KEY, MetadataJson.encodeNumber(incarnation)));
    }

    // A newer broker may write more than this one knows.
    @Test
    void shouldIgnoreUnknownFields() {
        String more = STATE_JSON.replace("\"adding\"", "\"later\":{\"a\":[1,null,true,{}]},\"adding\"");

        assertEquals(STATE, MetadataJson.decodePartition(KEY, bytes(more)));
    }

    @Test
    void shouldNameKeyAndFieldOfBadPartition() {
        assertBad("field is missing: field=elr", STATE_JSON.replace("\"elr\"", "\"other\""));
        assertBad("expected an array: field=isr, value=7", STATE_JSON.replaceFirst("\"isr\":\\[[^]]*]", "\"isr\":7"));
        assertBad(
                "field is missing: field=leader.incarnation",
                STATE_JSON.replace("\"leader\":{\"broker\":1,\"incarnation\":10}", "\"leader\":{\"broker\":1}"));
        assertBad(
                "expected an object with broker and incarnation: field=leader, value=5",
                STATE_JSON.replace("\"leader\":{\"broker\":1,\"incarnation\":10}", "\"leader\":5"));
        assertBad(
                "expected a whole 64-bit number: field=leaderEpoch, value=1.5",
                STATE_JSON.replace("\"leaderEpoch\":4", "\"leaderEpoch\":1.5"));
        assertBad(
                "expected a whole 64-bit number: field=controllerEpoch, value=1E+30",
                STATE_JSON.replace("\"controllerEpoch\":7", "\"controllerEpoch\":1e30"));
        assertBad(
                "expected a 32-bit number: field=minIsr, value=3000000000",
                STATE_JSON.replace("\"minIsr\":2", "\"minIsr\":3000000000"));
        assertBad(
                "expected a whole 64-bit number: field=minIsr, value=VALUE_NULL",
                STATE_JSON.replace("\"minIsr\":2", "\"minIsr\":null"));
        assertBad(
                "expected one of [REPLICATED, FSYNCED]: field=durability, value=NONE",
                STATE_JSON.replace("REPLICATED", "NONE"));
        assertBad("expected a text: field=durability, value=1", STATE_JSON.replace("\"REPLICATED\"", "1"));
        assertBad("expected ids of brokers: field=assignment, value=-1", STATE_JSON.replace("[1,2,3]", "[1,2,-1]"));
    }

    // Fields that are right one by one but not together.
    @Test
    void shouldSayWhichRuleARecordBreaks() {
        assertBad(
                "invalid partition state: the leader must be in the ISR: leader=1@11, isr=[1@10]",
                STATE_JSON.replaceFirst("\"incarnation\":10", "\"incarnation\":11"));
        assertBad(
                "invalid partition state: minIsr must be at least 1",
                STATE_JSON.replace("\"minIsr\":2", "\"minIsr\":0"));
    }

    @Test
    void shouldRefuseWhatIsNoJsonObject() {
        for (String text : new String[] {
            "", "[]", "7", "{", "{\"a\":}", "{\"a\":1,\"a\":2}", STATE_JSON + "x", STATE_JSON + "{}", "\u0000", "null"
        }) {
            MetadataFormatException e = assertThrows(
                    MetadataFormatException.class, () -> MetadataJson.decodePartition(KEY, bytes(text)), text);
            assertTrue(message(e).startsWith("bad stored value: key=" + KEY + ": "), message(e));
        }
        String deep = "{\"a\":" + "[".repeat(50) + "]".repeat(50) + "}";
        assertBad("nested deeper than 8 levels", deep);
    }

    @Test
    void shouldRefuseBadBrokersTopicsAndNumbers() {
        assertBad(MetadataJson::decodeBroker, "field is missing: field=broker", "{}");
        assertBad(MetadataJson::decodeTopic, "field is missing: field=name", "{}");
        assertBad(
                MetadataJson::decodeTopic,
                "expected a UUID: field=topicId, value=7x",
                "{\"name\":\"t\",\"topicId\":\"7x\"}");
        assertBad(MetadataJson::decodeController, "field is missing: field=incarnation", "{\"broker\":1}");
        for (String text : new String[] {"", "x", "-1", "9223372036854775808", "1.0"}) {
            MetadataFormatException e = assertThrows(
                    MetadataFormatException.class, () -> MetadataJson.decodeNumber("/controller_epoch", bytes(text)));
            assertTrue(
                    message(e).startsWith("bad stored value: key=/controller_epoch, value=" + text + "; expected"),
                    message(e));
        }
        assertEquals(5, MetadataJson.decodeNumber("/controller_epoch", bytes("5\n")));
    }

    private static void assertBad(String part, String json) {
        assertBad(MetadataJson::decodePartition, part, json);
    }

    private static void assertBad(BiFunction<String, byte[], ?> decode, String part, String json) {
        MetadataFormatException e = assertThrows(MetadataFormatException.class, () -> decode.apply(KEY, bytes(json)));
        assertTrue(message(e).contains(part), message(e));
        assertTrue(message(e).startsWith("bad stored value: key=" + KEY + ": "), message(e));
        assertTrue(message(e).endsWith("restore or correct it"), message(e));
    }

    private static String message(MetadataFormatException e) {
        return String.valueOf(e.getMessage());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
