package io.tidemark.wire;

import static io.tidemark.wire.FrameDescriptor.BYTE_ORDER;

import io.tidemark.wire.sbe.MessageHeaderDecoder;
import java.util.List;
import org.agrona.DirectBuffer;

/**
 * What a message, or one entry of a repeating group, is made of, so that received bytes can be walked and checked
 * before a generated decoder trusts their lengths and counts.
 *
 * @param name of the message or group in the schema
 * @param blockLength bytes of the fixed fields
 * @param groups that follow the block, in order
 * @param data names of the variable fields that follow the groups, in order
 */
record MessageShape(String name, int blockLength, List<MessageShape> groups, List<String> data) {
    private static final int SCHEMA_ID = MessageHeaderDecoder.SCHEMA_ID;
    private static final int SCHEMA_VERSION = MessageHeaderDecoder.SCHEMA_VERSION;
    private static final int GROUP_HEADER_LENGTH = 4;
    private static final int DATA_HEADER_LENGTH = 4;

    /** Shapes by template id − 1; a test compares them with the schema. */
    private static final List<MessageShape> SHAPES = List.of(
            new MessageShape("Hello", 25, List.of(), List.of("clusterId")),
            new MessageShape("HelloReply", 14, List.of(), List.of("clusterId", "message")),
            new MessageShape("ProduceRequest", 37, List.of(), List.of()),
            new MessageShape("ProduceReply", 26, List.of(), List.of("message")),
            new MessageShape(
                    "FetchRequest",
                    32,
                    List.of(
                            new MessageShape("partitions", 44, List.of(), List.of()),
                            new MessageShape("forgotten", 20, List.of(), List.of())),
                    List.of()),
            new MessageShape(
                    "FetchReply", 10, List.of(new MessageShape("partitions", 58, List.of(), List.of())), List.of()),
            new MessageShape("ConsumeRequest", 48, List.of(), List.of()),
            new MessageShape("ConsumeReply", 30, List.of(), List.of("message")),
            new MessageShape(
                    "MetadataRequest",
                    8,
                    List.of(new MessageShape("topics", 0, List.of(), List.of("name"))),
                    List.of()),
            new MessageShape(
                    "MetadataReply",
                    22,
                    List.of(
                            new MessageShape("brokers", 17, List.of(), List.of("host", "rack")),
                            new MessageShape(
                                    "topics",
                                    18,
                                    List.of(
                                            new MessageShape(
                                                    "partitions",
                                                    27,
                                                    List.of(
                                                            new MessageShape("isr", 12, List.of(), List.of()),
                                                            new MessageShape("elr", 12, List.of(), List.of()),
                                                            new MessageShape("assignment", 4, List.of(), List.of()),
                                                            new MessageShape("adding", 4, List.of(), List.of()),
                                                            new MessageShape("removing", 4, List.of(), List.of())),
                                                    List.of()),
                                            new MessageShape("settings", 8, List.of(), List.of("setting"))),
                                    List.of("name"))),
                    List.of("clusterId")),
            new MessageShape(
                    "AdminRequest",
                    13,
                    List.of(
                            new MessageShape("settings", 0, List.of(), List.of("key", "value")),
                            new MessageShape(
                                    "targets",
                                    4,
                                    List.of(new MessageShape("brokers", 4, List.of(), List.of())),
                                    List.of("topic"))),
                    List.of("topic")),
            new MessageShape(
                    "AdminReply",
                    26,
                    List.of(new MessageShape("results", 6, List.of(), List.of("topic", "message"))),
                    List.of("message")),
            new MessageShape("InitProducerIdRequest", 18, List.of(), List.of()),
            new MessageShape("InitProducerIdReply", 20, List.of(), List.of("message")),
            new MessageShape("OffsetsRequest", 32, List.of(), List.of()),
            new MessageShape("OffsetsReply", 30, List.of(), List.of()),
            new MessageShape(
                    "UpdateStatesRequest",
                    21,
                    List.of(
                            new MessageShape("states", 44, List.of(), List.of("topicName", "topicJson", "stateJson")),
                            new MessageShape("deleted", 16, List.of(), List.of())),
                    List.of()),
            new MessageShape("UpdateStatesReply", 18, List.of(), List.of()),
            new MessageShape("DescribeBrokerRequest", 8, List.of(), List.of()),
            new MessageShape(
                    "DescribeBrokerReply",
                    22,
                    List.of(new MessageShape("counters", 8, List.of(), List.of("name"))),
                    List.of()),
            new MessageShape("WitnessRequest", 20, List.of(), List.of()),
            new MessageShape("WitnessReply", 21, List.of(), List.of()));

    /**
     * Shapes of all messages.
     *
     * @return in the order of the template ids, from 1
     */
    static List<MessageShape> all() {
        return SHAPES;
    }

    /**
     * Checks that bytes are one whole message of a kind, and nothing but it.
     *
     * @param expectedTemplateId kind of message
     * @param buffer that holds the frame
     * @param index of the SBE message header
     * @param length of the message with its SBE message header
     * @throws WireFormatException if they are not, naming message and field
     */
    static void check(int expectedTemplateId, DirectBuffer buffer, int index, int length) {
        MessageShape shape = SHAPES.get(expectedTemplateId - 1);
        if (index < 0 || length < MessageHeaderDecoder.ENCODED_LENGTH || index > buffer.capacity() - length) {
            throw shape.outOfRange("length", length, MessageHeaderDecoder.ENCODED_LENGTH, buffer.capacity() - index);
        }
        int blockLength = unsignedShort(buffer, index);
        int templateId = unsignedShort(buffer, index + 2);
        int schemaId = unsignedShort(buffer, index + 4);
        int version = unsignedShort(buffer, index + 6);
        shape.checkValue("schemaId", schemaId, SCHEMA_ID);
        shape.checkValue("templateId", templateId, expectedTemplateId);
        shape.checkValue("version", version, SCHEMA_VERSION);
        shape.checkValue("blockLength", blockLength, shape.blockLength);
        int limit = index + length;
        int end = shape.walk(buffer, index + MessageHeaderDecoder.ENCODED_LENGTH, limit, shape.name);
        if (end != limit) {
            throw new WireFormatException("message is shorter than its frame says: message=" + shape.name
                    + ", field=length, value=" + length + ", expected=" + (end - index));
        }
    }

    private int walk(DirectBuffer buffer, int from, int limit, String message) {
        if (blockLength > limit - from) {
            throw outOfFrame(message, name, blockLength, limit - from);
        }
        int at = from + blockLength;
        for (int g = 0; g < groups.size(); g++) {
            at = groups.get(g).walkGroup(buffer, at, limit, message);
        }
        for (int d = 0; d < data.size(); d++) {
            at = walkData(buffer, at, limit, message, data.get(d));
        }
        return at;
    }

    private int walkGroup(DirectBuffer buffer, int from, int limit, String message) {
        if (GROUP_HEADER_LENGTH > limit - from) {
            throw outOfFrame(message, name, GROUP_HEADER_LENGTH, limit - from);
        }
        int entryLength = unsignedShort(buffer, from);
        int count = unsignedShort(buffer, from + 2);
        if (entryLength != blockLength) {
            throw new WireFormatException("group entries have another length: message=" + message + ", field=" + name
                    + ".blockLength, value=" + entryLength + ", expected=" + blockLength);
        }
        int at = from + GROUP_HEADER_LENGTH;
        if (groups.isEmpty() && data.isEmpty()) {
            long bytes = (long) count * blockLength;
            if (bytes > limit - at) {
                throw outOfFrame(message, name + ".numInGroup=" + count, bytes, limit - at);
            }
            return at + (int) bytes;
        }
        for (int i = 0; i < count; i++) {
            at = walk(buffer, at, limit, message);
        }
        return at;
    }

    private static int walkData(DirectBuffer buffer, int from, int limit, String message, String field) {
        if (DATA_HEADER_LENGTH > limit - from) {
            throw outOfFrame(message, field, DATA_HEADER_LENGTH, limit - from);
        }
        long length = buffer.getInt(from, BYTE_ORDER) & 0xFFFF_FFFFL;
        if (length > limit - from - DATA_HEADER_LENGTH) {
            throw outOfFrame(message, field, length, (long) limit - from - DATA_HEADER_LENGTH);
        }
        return from + DATA_HEADER_LENGTH + (int) length;
    }

    private void checkValue(String field, int value, int expected) {
        if (value != expected) {
            throw new WireFormatException("message header does not fit: message=" + name + ", field=" + field
                    + ", value=" + value + ", expected=" + expected);
        }
    }

    private WireFormatException outOfRange(String field, long value, long min, long max) {
        return new WireFormatException("message length out of range: message=" + name + ", field=" + field + ", value="
                + value + ", allowed=" + min + ".." + max);
    }

    private static WireFormatException outOfFrame(String message, String field, long needed, long left) {
        return new WireFormatException("message reaches beyond its frame: message=" + message + ", field=" + field
                + ", neededBytes=" + needed + ", bytesLeft=" + left);
    }

    private static int unsignedShort(DirectBuffer buffer, int index) {
        return buffer.getShort(index, BYTE_ORDER) & 0xFFFF;
    }
}
