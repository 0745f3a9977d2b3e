package io.tidemark.metadata;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.tidemark.controller.BrokerRegistration;
import io.tidemark.controller.Tombstone;
import io.tidemark.controller.TopicConfig;
import io.tidemark.controller.TopicState;
import io.tidemark.partition.Durability;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The values stored in the coordination service: JSON objects that operators can read, and plain numbers and ids as
 * text.
 *
 * <p>Fields that are not known are ignored, so that an older broker can read what a newer one wrote. A field that is
 * missing, twice there, of the wrong type or out of its range is a {@link MetadataFormatException}.
 *
 * <p>Pure functions; any thread.
 */
public final class MetadataJson {
    private static final JsonFactory FACTORY = new JsonFactory();
    private static final String NO_TOPIC = "{\"deletedTopicId\":\"";

    private MetadataJson() {}

    /**
     * Encodes the registration of a broker.
     *
     * @param registration the registration
     * @return the stored value
     */
    public static byte[] encode(BrokerRegistration registration) {
        return object(json -> {
            json.writeNumberField("broker", registration.broker());
            json.writeNumberField("incarnation", registration.incarnation());
            json.writeNumberField("intactSince", registration.intactSince());
            json.writeStringField("host", registration.host());
            json.writeNumberField("port", registration.port());
            json.writeStringField("rack", registration.rack());
            json.writeStringField("storageId", registration.storageId());
            json.writeStringField("status", registration.status().name());
        });
    }

    /**
     * Decodes the registration of a broker.
     *
     * @param key where it is stored; for messages only
     * @param value the stored value
     * @return the registration
     * @throws MetadataFormatException if the value is not a valid registration
     */
    public static BrokerRegistration decodeBroker(String key, byte[] value) {
        JsonFields fields = JsonFields.parse(FACTORY, key, value);
        return fields.build(() -> new BrokerRegistration(
                fields.intField("broker"),
                fields.longField("incarnation"),
                fields.longField("intactSince"),
                fields.text("host"),
                fields.intField("port"),
                fields.text("rack"),
                fields.text("storageId"),
                fields.constant("status", BrokerRegistration.Status.class)));
    }

    /**
     * Encodes a topic.
     *
     * @param topic the topic
     * @return the stored value
     */
    public static byte[] encode(TopicState topic) {
        return object(json -> {
            json.writeStringField("name", topic.name());
            json.writeStringField("topicId", topic.topicId().toString());
            json.writeNumberField("partitions", topic.partitions());
            json.writeNumberField("replicationFactor", topic.replicationFactor());
            json.writeNumberField("minIsr", topic.minIsr());
            json.writeStringField("durability", topic.durability().name());
            json.writeNumberField("revision", topic.revision());
            for (Map.Entry<String, Long> setting : topic.config().toMap().entrySet()) {
                json.writeNumberField(setting.getKey(), setting.getValue());
            }
        });
    }

    /**
     * Decodes a topic.
     *
     * @param key where it is stored; for messages only
     * @param value the stored value
     * @return the topic
     * @throws MetadataFormatException if the value is not a valid topic
     */
    public static TopicState decodeTopic(String key, byte[] value) {
        JsonFields fields = JsonFields.parse(FACTORY, key, value);
        return fields.build(() -> new TopicState(
                fields.text("name"),
                fields.uuid("topicId"),
                fields.intField("partitions"),
                fields.intField("replicationFactor"),
                fields.intField("minIsr"),
                fields.constant("durability", Durability.class),
                fields.intField("revision"),
                new TopicConfig(
                        fields.optionalLong(TopicConfig.RETENTION_MS),
                        fields.optionalLong(TopicConfig.RETENTION_BYTES))));
    }

    /**
     * What stands in the place of a topic that was deleted, until another one gets the name. The key itself is not
     * deleted, so that no delayed write of an earlier life of the name can land.
     *
     * @param topicId id of the topic that was deleted
     * @return the stored value
     */
    public static byte[] encodeNoTopic(UUID topicId) {
        return (NO_TOPIC + topicId + "\"}").getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Whether a value says that the name of a topic is free.
     *
     * @param value the stored value
     * @return true if {@link #encodeNoTopic} made it
     */
    public static boolean isNoTopic(byte[] value) {
        return new String(value, StandardCharsets.UTF_8).startsWith(NO_TOPIC);
    }

    /**
     * Encodes what is known of a deleted topic.
     *
     * @param tombstone the deletion
     * @return the stored value
     */
    public static byte[] encode(Tombstone tombstone) {
        return object(json -> {
            json.writeStringField("topicId", tombstone.topicId().toString());
            json.writeStringField("name", tombstone.name());
            json.writeNumberField("deletedAtMs", tombstone.deletedAtMs());
        });
    }

    /**
     * Decodes what is known of a deleted topic.
     *
     * @param key where it is stored; for messages only
     * @param value the stored value
     * @return the deletion
     * @throws MetadataFormatException if the value is not a valid one
     */
    public static Tombstone decodeTombstone(String key, byte[] value) {
        JsonFields fields = JsonFields.parse(FACTORY, key, value);
        return fields.build(
                () -> new Tombstone(fields.uuid("topicId"), fields.text("name"), fields.longField("deletedAtMs")));
    }

    /**
     * Encodes the record of a partition.
     *
     * @param state the record
     * @return the stored value
     */
    public static byte[] encode(PartitionState state) {
        return object(json -> {
            writeBrokers(json, "assignment", state.assignment());
            writeBrokers(json, "adding", state.adding());
            writeBrokers(json, "removing", state.removing());
            writeBrokers(json, "target", state.target());
            json.writeFieldName("leader");
            writeReplica(json, state.leader());
            json.writeNumberField("leaderEpoch", state.leaderEpoch());
            json.writeNumberField("partitionEpoch", state.partitionEpoch());
            writeReplicas(json, "isr", state.isr());
            writeReplicas(json, "elr", state.elr());
            json.writeNumberField("minIsr", state.minIsr());
            json.writeStringField("durability", state.durability().name());
            json.writeNumberField("controllerEpoch", state.controllerEpoch());
        });
    }

    /**
     * Decodes the record of a partition.
     *
     * @param key where it is stored; for messages only
     * @param value the stored value
     * @return the record
     * @throws MetadataFormatException if the value is not a valid record
     */
    public static PartitionState decodePartition(String key, byte[] value) {
        JsonFields fields = JsonFields.parse(FACTORY, key, value);
        List<Integer> assignment = fields.brokers("assignment");
        List<Integer> adding = fields.brokers("adding");
        List<Integer> removing = fields.brokers("removing");
        return fields.build(() -> new PartitionState(
                assignment,
                adding,
                removing,
                fields.replica("leader"),
                fields.intField("leaderEpoch"),
                fields.intField("partitionEpoch"),
                fields.replicas("isr"),
                fields.replicas("elr"),
                fields.intField("minIsr"),
                fields.constant("durability", Durability.class),
                fields.longField("controllerEpoch"),
                fields.has("target")
                        ? fields.brokers("target")
                        : PartitionState.targetOf(assignment, adding, removing)));
    }

    /**
     * Encodes who is controller.
     *
     * @param controller the broker's process
     * @return the stored value
     */
    public static byte[] encodeController(Replica controller) {
        return object(json -> {
            json.writeNumberField("broker", controller.broker());
            json.writeNumberField("incarnation", controller.incarnation());
        });
    }

    /**
     * Decodes who is controller.
     *
     * @param key where it is stored; for messages only
     * @param value the stored value
     * @return the broker's process
     * @throws MetadataFormatException if the value is not valid
     */
    public static Replica decodeController(String key, byte[] value) {
        JsonFields fields = JsonFields.parse(FACTORY, key, value);
        return fields.build(() -> new Replica(fields.intField("broker"), fields.longField("incarnation")));
    }

    /**
     * Encodes a counter.
     *
     * @param number the number
     * @return the stored value: its decimal digits
     */
    public static byte[] encodeNumber(long number) {
        return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Decodes a counter.
     *
     * @param key where it is stored; for messages only
     * @param value the stored value
     * @return the number, not negative
     * @throws MetadataFormatException if the value is no number, or a negative one
     */
    public static long decodeNumber(String key, byte[] value) {
        String text = new String(value, StandardCharsets.UTF_8).strip();
        long number;
        try {
            number = Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw badNumber(key, text, e);
        }
        if (number < 0) {
            throw badNumber(key, text, null);
        }
        return number;
    }

    private static MetadataFormatException badNumber(String key, String text, @Nullable NumberFormatException cause) {
        String message = "bad stored value: key=" + key + ", value=" + JsonFields.shorten(text)
                + "; expected a decimal number that is not negative; restore the key's value";
        return cause == null ? new MetadataFormatException(message) : new MetadataFormatException(message, cause);
    }

    private static void writeBrokers(JsonGenerator json, String name, List<Integer> brokers) throws IOException {
        json.writeArrayFieldStart(name);
        for (int broker : brokers) {
            json.writeNumber(broker);
        }
        json.writeEndArray();
    }

    private static void writeReplicas(JsonGenerator json, String name, List<Replica> replicas) throws IOException {
        json.writeArrayFieldStart(name);
        for (Replica replica : replicas) {
            writeReplica(json, replica);
        }
        json.writeEndArray();
    }

    private static void writeReplica(JsonGenerator json, Replica replica) throws IOException {
        json.writeStartObject();
        json.writeNumberField("broker", replica.broker());
        json.writeNumberField("incarnation", replica.incarnation());
        json.writeEndObject();
    }

    private static byte[] object(Fields fields) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
        try (JsonGenerator json = FACTORY.createGenerator(bytes)) {
            json.writeStartObject();
            fields.write(json);
            json.writeEndObject();
        } catch (IOException e) {
            // A byte array in memory does not fail.
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** Writes the fields of an object. */
    private interface Fields {
        void write(JsonGenerator json) throws IOException;
    }
}
