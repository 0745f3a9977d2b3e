package io.tidemark.metadata;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.tidemark.partition.Replica;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The fields of a stored JSON object, read with checks; every failure names the key and the field. */
final class JsonFields {
    private static final int DEPTH_MAX = 8;
    private static final int SHOWN_CHARACTERS_MAX = 80;

    private final String key;
    private final String path;
    private final Map<String, Object> values;

    private JsonFields(String key, String path, Map<String, Object> values) {
        this.key = key;
        this.path = path;
        this.values = values;
    }

    /**
     * Reads a whole value.
     *
     * @param factory makes the parser
     * @param key where the value is stored
     * @param value the value
     * @return its fields
     * @throws MetadataFormatException if the value is not one JSON object
     */
    static JsonFields parse(JsonFactory factory, String key, byte[] value) {
        try (JsonParser parser = factory.createParser(value)) {
            parser.enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw bad(key, "expected a JSON object: value=" + shown(value), null);
            }
            Map<String, Object> values = object(parser, 1);
            if (parser.nextToken() != null) {
                throw bad(key, "there is more behind the JSON object: value=" + shown(value), null);
            }
            return new JsonFields(key, "", values);
        } catch (IOException e) {
            throw bad(key, "not readable as JSON: value=" + shown(value) + ", reason=" + firstLine(e), e);
        }
    }

    private static Map<String, Object> object(JsonParser parser, int depth) throws IOException {
        Map<String, Object> values = new HashMap<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            values.put(name, value(parser, depth));
        }
        return values;
    }

    private static Object value(JsonParser parser, int depth) throws IOException {
        if (depth > DEPTH_MAX) {
            throw new IOException("nested deeper than " + DEPTH_MAX + " levels");
        }
        return switch (parser.currentToken()) {
            case START_OBJECT -> object(parser, depth + 1);
            case START_ARRAY -> {
                List<Object> elements = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    elements.add(value(parser, depth + 1));
                }
                yield elements;
            }
            case VALUE_STRING -> parser.getText();
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> parser.getDecimalValue();
            case VALUE_TRUE, VALUE_FALSE, VALUE_NULL -> parser.currentToken();
            default -> throw new IOException("unexpected token " + parser.currentToken());
        };
    }

    /**
     * Builds a record whose constructor checks the fields together.
     *
     * @param constructor makes the record
     * @param <T> type of the record
     * @return the record
     * @throws MetadataFormatException if the constructor refuses the fields
     */
    <T> T build(Supplier<T> constructor) {
        try {
            return constructor.get();
        } catch (IllegalArgumentException e) {
            throw bad(key, String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * Whether there is a field.
     *
     * @param name the field
     * @return true if it is there, with a value that is not null
     */
    boolean has(String name) {
        return values.get(name) != null;
    }

    /**
     * Where the value is stored.
     *
     * @return its key
     */
    String key() {
        return key;
    }

    /**
     * Reads a list.
     *
     * @param name the field
     * @return its elements, of any kind
     */
    List<?> list(String name) {
        return elements(name);
    }

    /**
     * The fields of an object inside this one.
     *
     * @param name the field that has it
     * @param value what was found there
     * @param expected what is expected, for messages
     * @return its fields
     */
    JsonFields inner(String name, Object value, String expected) {
        if (value instanceof Map<?, ?> map) {
            Map<String, Object> inner = new HashMap<>();
            map.forEach((field, content) -> inner.put((String) field, content));
            return new JsonFields(key, path + name + ".", inner);
        }
        throw badField(name, expected, value);
    }

    /**
     * Reads a number.
     *
     * @param name the field
     * @return its value
     */
    int intField(String name) {
        long number = longField(name);
        if (number < Integer.MIN_VALUE || number > Integer.MAX_VALUE) {
            throw badField(name, "expected a 32-bit number", number);
        }
        return (int) number;
    }

    /**
     * Reads a number.
     *
     * @param name the field
     * @return its value
     */
    long longField(String name) {
        return whole(name, required(name));
    }

    /**
     * Reads a number that may be missing.
     *
     * @param name the field
     * @return its value, empty if there is no such field
     */
    OptionalLong optionalLong(String name) {
        return values.containsKey(name) ? OptionalLong.of(longField(name)) : OptionalLong.empty();
    }

    /**
     * Reads a text.
     *
     * @param name the field
     * @return its value
     */
    String text(String name) {
        Object value = required(name);
        if (value instanceof String text) {
            return text;
        }
        throw badField(name, "expected a text", value);
    }

    /**
     * Reads an id.
     *
     * @param name the field
     * @return its value
     */
    UUID uuid(String name) {
        String text = text(name);
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException e) {
            throw badField(name, "expected a UUID", text);
        }
    }

    /**
     * Reads the name of a constant.
     *
     * @param name the field
     * @param type the enum
     * @param <E> the enum
     * @return the constant
     */
    <E extends Enum<E>> E constant(String name, Class<E> type) {
        String text = text(name);
        for (E constant : type.getEnumConstants()) {
            if (constant.name().equals(text)) {
                return constant;
            }
        }
        throw badField(name, "expected one of " + Arrays.toString(type.getEnumConstants()), text);
    }

    /**
     * Reads ids of brokers.
     *
     * @param name the field
     * @return its value
     */
    List<Integer> brokers(String name) {
        List<Integer> brokers = new ArrayList<>();
        for (Object element : elements(name)) {
            long number = whole(name, element);
            if (number < 0 || number > Integer.MAX_VALUE) {
                throw badField(name, "expected ids of brokers", number);
            }
            brokers.add((int) number);
        }
        return brokers;
    }

    /**
     * Reads a replica.
     *
     * @param name the field
     * @return its value
     */
    Replica replica(String name) {
        return replica(name, required(name));
    }

    /**
     * Reads replicas.
     *
     * @param name the field
     * @return its value
     */
    List<Replica> replicas(String name) {
        List<Replica> replicas = new ArrayList<>();
        for (Object element : elements(name)) {
            replicas.add(replica(name, element));
        }
        return replicas;
    }

    /**
     * Cuts a text for a message.
     *
     * @param text the text
     * @return its beginning
     */
    static String shorten(String text) {
        return text.length() <= SHOWN_CHARACTERS_MAX ? text : text.substring(0, SHOWN_CHARACTERS_MAX) + "...";
    }

    private Replica replica(String name, Object value) {
        JsonFields fields = inner(name, value, "expected an object with broker and incarnation");
        return build(() -> new Replica(fields.intField("broker"), fields.longField("incarnation")));
    }

    private List<?> elements(String name) {
        Object value = required(name);
        if (value instanceof List<?> list) {
            return list;
        }
        throw badField(name, "expected an array", value);
    }

    private long whole(String name, Object value) {
        if (value instanceof BigDecimal number && number.precision() - number.scale() <= 19) {
            try {
                return number.longValueExact();
            } catch (ArithmeticException e) {
                throw badField(name, "expected a whole 64-bit number", number);
            }
        }
        throw badField(name, "expected a whole 64-bit number", value);
    }

    private Object required(String name) {
        Object value = values.get(name);
        if (value == null) {
            throw bad(key, "field is missing: field=" + path + name, null);
        }
        return value;
    }

    private MetadataFormatException badField(String name, String expected, Object value) {
        String text = shorten(String.valueOf(value));
        return bad(key, expected + ": field=" + path + name + ", value=" + text, null);
    }

    private static MetadataFormatException bad(String key, String what, @Nullable Exception cause) {
        String message = "bad stored value: key=" + key + ": " + what
                + "; the value was not written by a broker of this version, restore or correct it";
        return cause == null ? new MetadataFormatException(message) : new MetadataFormatException(message, cause);
    }

    private static String shown(byte[] value) {
        return shorten(new String(value, StandardCharsets.UTF_8));
    }

    private static String firstLine(IOException e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }
}
