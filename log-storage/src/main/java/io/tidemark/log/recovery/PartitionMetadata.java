package io.tidemark.log.recovery;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The file that names the topic id of a partition's folder, in Kafka's text layout and with Kafka's form of ids. */
public final class PartitionMetadata {
    /** Name of the file. */
    public static final String FILE_NAME = "partition.metadata";

    private static final String VERSION = "version: 0";
    private static final String TOPIC_ID = "topic_id: ";

    private PartitionMetadata() {}

    /**
     * The text of the file.
     *
     * @param topicId to be named
     * @return lines
     */
    public static String encode(UUID topicId) {
        return VERSION + "\n" + TOPIC_ID + idText(topicId) + "\n";
    }

    /**
     * Parses the text of the file.
     *
     * @param text of the file, null when there is none
     * @return the topic id, empty when the text is not as it should be
     */
    public static Optional<UUID> parse(@Nullable String text) {
        if (text == null) {
            return Optional.empty();
        }
        final String[] lines = text.strip().split("\n", -1);
        return lines.length == 2 && lines[0].equals(VERSION) && lines[1].startsWith(TOPIC_ID)
                ? parseId(lines[1].substring(TOPIC_ID.length()))
                : Optional.empty();
    }

    /**
     * The form in which Kafka writes ids.
     *
     * @param id to be written
     * @return 22 characters of base64url
     */
    public static String idText(UUID id) {
        final ByteBuffer bytes = ByteBuffer.allocate(2 * Long.BYTES);
        bytes.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
    }

    /**
     * Reads an id.
     *
     * @param text as {@link #idText} writes it
     * @return the id, empty when the text is none
     */
    public static Optional<UUID> parseId(String text) {
        try {
            final byte[] bytes = Base64.getUrlDecoder().decode(text);
            if (bytes.length == 2 * Long.BYTES) {
                final ByteBuffer both = ByteBuffer.wrap(bytes);
                return Optional.of(new UUID(both.getLong(), both.getLong()));
            }
            return Optional.empty();
        } catch (final IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
