package io.tidemark.wire;

import static io.tidemark.wire.FrameDescriptor.BYTE_ORDER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.wire.sbe.MessageHeaderEncoder;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import javax.xml.parsers.DocumentBuilderFactory;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

class MessageShapeTest {
    private static final Map<String, Integer> SIZES =
            Map.of("int64", 8, "int32", 4, "int16", 2, "uint16", 2, "uint8", 1, "int8", 1);

    private final ExpandableArrayBuffer bytes = new ExpandableArrayBuffer();
    private int at;

    private static MessageShape parse(Element element) {
        int blockLength = 0;
        List<MessageShape> groups = new ArrayList<>();
        List<String> data = new ArrayList<>();
        NodeList children = element.getChildNodes();
        for (int i = 0; i < children.getLength(); i++) {
            Node child = children.item(i);
            if (child instanceof Element field) {
                switch (field.getTagName()) {
                    case "field" -> blockLength += SIZES.getOrDefault(field.getAttribute("type"), 0);
                    case "group" -> groups.add(parse(field));
                    case "data" -> data.add(field.getAttribute("name"));
                    default -> throw new AssertionError(field.getTagName());
                }
            }
        }
        return new MessageShape(element.getAttribute("name"), blockLength, groups, data);
    }

    // The table by which received bytes are checked is the schema itself.
    @Test
    void shouldHaveTheShapesOfTheSchema() throws Exception {
        List<MessageShape> shapes = new ArrayList<>();
        try (InputStream schema = MessageShape.class.getResourceAsStream("/tidemark-wire.xml")) {
            NodeList messages = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(schema)
                    .getElementsByTagName("sbe:message");
            for (int i = 0; i < messages.getLength(); i++) {
                Element message = (Element) messages.item(i);
                assertEquals(String.valueOf(i + 1), message.getAttribute("id"));
                shapes.add(parse(message));
            }
        }
        assertEquals(shapes, MessageShape.all());
    }

    private void putRandom(MessageShape shape, SplittableRandom random) {
        for (int i = 0; i < shape.blockLength(); i++) {
            bytes.putByte(at++, (byte) random.nextInt());
        }
        for (MessageShape group : shape.groups()) {
            int count = random.nextInt(4);
            bytes.putShort(at, (short) group.blockLength(), BYTE_ORDER);
            bytes.putShort(at + 2, (short) count, BYTE_ORDER);
            at += 4;
            for (int i = 0; i < count; i++) {
                putRandom(group, random);
            }
        }
        for (String ignored : shape.data()) {
            int length = random.nextInt(6);
            bytes.putInt(at, length, BYTE_ORDER);
            bytes.setMemory(at + 4, length, (byte) 'x');
            at += 4 + length;
        }
    }

    private int putMessage(int templateId, SplittableRandom random) {
        MessageShape shape = MessageShape.all().get(templateId - 1);
        new MessageHeaderEncoder()
                .wrap(bytes, 0)
                .blockLength(shape.blockLength())
                .templateId(templateId)
                .schemaId(901)
                .version(0);
        at = MessageHeaderEncoder.ENCODED_LENGTH;
        putRandom(shape, random);
        return at;
    }

    private static int decodeToTheEnd(int templateId, DirectBuffer buffer, int index, int length) throws Exception {
        String name = MessageShape.all().get(templateId - 1).name();
        String method = Character.toLowerCase(name.charAt(0)) + name.substring(1);
        try {
            Object decoder = MessageReader.class
                    .getMethod(method, DirectBuffer.class, int.class, int.class)
                    .invoke(new MessageReader(), buffer, index, length);
            Class<?> type = decoder.getClass();
            type.getMethod("sbeSkip").invoke(decoder);
            return (int) type.getMethod("limit").invoke(decoder);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof WireFormatException refused) {
                throw refused;
            }
            throw e;
        }
    }

    // Every message that is whole is accepted, and its decoder ends where the frame does.
    @Test
    void shouldAcceptWholeMessages() throws Exception {
        for (long seed = 1; seed <= 200; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            for (int templateId = 1; templateId <= MessageShape.all().size(); templateId++) {
                int length = putMessage(templateId, random);
                UnsafeBuffer exact = new UnsafeBuffer(bytes.byteArray(), 0, length);
                assertEquals(length, decodeToTheEnd(templateId, exact, 0, length), "seed=" + seed);
            }
        }
    }

    // Cut, or with bytes changed, a message is refused or still ends inside its frame; nothing else is thrown.
    @Test
    void shouldNeverReadOutsideTheFrameWhateverTheBytes() throws Exception {
        int refused = 0;
        for (long seed = 1; seed <= 2_000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            int templateId = 1 + random.nextInt(MessageShape.all().size());
            int length = putMessage(templateId, random);
            int cut = random.nextInt(3) == 0 ? random.nextInt(length + 1) : length;
            for (int i = random.nextInt(4); i > 0; i--) {
                bytes.putByte(random.nextInt(length), (byte) random.nextInt());
            }
            // The frame ends where the memory ends, so that a read beyond it would throw something else.
            UnsafeBuffer exact = new UnsafeBuffer(java.util.Arrays.copyOf(bytes.byteArray(), cut));
            try {
                assertEquals(cut, decodeToTheEnd(templateId, exact, 0, cut), "seed=" + seed);
            } catch (WireFormatException e) {
                refused++;
                String name = MessageShape.all().get(templateId - 1).name();
                assertTrue(String.valueOf(e.getMessage()).contains("message=" + name), "seed=" + seed + ", " + e);
                assertTrue(String.valueOf(e.getMessage()).contains("field="), "seed=" + seed + ", " + e);
            }
        }
        assertTrue(refused > 500, "refused=" + refused);
    }

    // The texts name message and field.
    @Test
    void shouldNameMessageAndField() {
        MessageWriter writer = new MessageWriter();
        MessageReader reader = new MessageReader();
        writer.fetchRequest().partitionsCount(0);
        // The count of the partitions group lies after the header and the block of 32 bytes.
        writer.buffer().putShort(8 + 32 + 2, (short) 1000, BYTE_ORDER);
        int length = 8 + 32 + 4 + 44 + 4;
        assertEquals(
                "message reaches beyond its frame: message=FetchRequest, field=partitions.numInGroup=1000,"
                        + " neededBytes=44000, bytesLeft=48",
                assertThrows(WireFormatException.class, () -> reader.fetchRequest(writer.buffer(), 0, length))
                        .getMessage());
        writer.hello();
        writer.buffer().putShort(6, (short) 7, BYTE_ORDER);
        assertEquals(
                "message header does not fit: message=Hello, field=version, value=7, expected=0",
                assertThrows(WireFormatException.class, () -> reader.hello(writer.buffer(), 0, writer.length()))
                        .getMessage());
        assertThrows(WireFormatException.class, () -> reader.hello(new UnsafeBuffer(new byte[7]), 0, 7));
        assertThrows(WireFormatException.class, () -> Role.of(4));
    }

    // What one side writes the other side reads.
    @Test
    void shouldReadWhatWasWritten() {
        MessageWriter writer = new MessageWriter();
        writer.metadataRequest()
                .correlationId(5)
                .topicsCount(2)
                .next()
                .name("a")
                .next()
                .name("bé");
        var decoder = new MessageReader().metadataRequest(writer.buffer(), 0, writer.length());
        assertEquals(5, decoder.correlationId());
        var topics = decoder.topics();
        assertEquals("a", topics.next().name());
        assertEquals("bé", topics.next().name());
        assertEquals(writer.length(), writer.copy().length);
    }

    // Codes are dense, stable in number, and an unknown one reads as INTERNAL.
    @Test
    void shouldMapErrorCodes() {
        for (ErrorCode code : ErrorCode.values()) {
            assertEquals(code, ErrorCode.of(code.code()));
            assertTrue(!code.text().isBlank());
        }
        assertEquals(ErrorCode.INTERNAL, ErrorCode.of((short) 999));
        assertEquals(ErrorCode.INTERNAL, ErrorCode.of((short) -1));
        assertEquals(28, ErrorCode.INTERNAL.code());
    }
}
