package io.tidemark.conductor;

import io.tidemark.controller.TopicState;
import io.tidemark.coordination.Key;
import io.tidemark.metadata.MetadataFormatException;
import io.tidemark.transport.Transport;
import java.util.UUID;

/** What a term of a controller needs from its conductor, and what it tells it. Called on the conductor. */
interface OfficeHost {
    /**
     * The network.
     *
     * @return the conductor's transport
     */
    Transport transport();

    /**
     * How this broker presents itself.
     *
     * @return its Hellos
     */
    Hellos hellos();

    /**
     * A record was written or seen.
     *
     * @param record the record, maybe not newer than the known one
     */
    void recordSeen(VersionedRecord record);

    /**
     * The term is over.
     *
     * @param reason for the log
     */
    void superseded(String reason);

    /**
     * The connection with a broker broke or could not be made.
     *
     * @param broker its id
     * @param incarnation its registration number
     */
    void linkLost(int broker, long incarnation);

    /**
     * A value cannot be read; it is passed over.
     *
     * @param broken names the key
     */
    void brokenValue(MetadataFormatException broken);

    /**
     * A call failed and is tried again.
     *
     * @param cause why
     */
    void attemptFailed(Throwable cause);

    /**
     * A topic is configured anew.
     *
     * @param topic the topic
     */
    void topicChanged(TopicState topic);

    /**
     * A topic was deleted.
     *
     * @param topicId its id
     */
    void topicDeleted(UUID topicId);

    /**
     * A wish that somebody wrote by hand is removed without being met.
     *
     * @param key where it stood
     * @param reason what, where, what to do
     */
    void wishRefused(String key, String reason);

    /**
     * Whether topics may be deleted.
     *
     * @return as this broker is configured
     */
    boolean isDeletionAllowed();

    /**
     * The time of day.
     *
     * @return milliseconds since 1970
     */
    long nowMs();

    /**
     * Something that a person left in an inbox is not done.
     *
     * @param key the inbox
     * @param reason what, where, what to do
     */
    void inboxRefused(Key key, String reason);
}
