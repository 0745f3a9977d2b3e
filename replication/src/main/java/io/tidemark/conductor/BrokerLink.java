package io.tidemark.conductor;

import io.tidemark.controller.BrokerRegistration;
import io.tidemark.controller.TopicState;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.partition.PartitionId;
import io.tidemark.transport.Connection;
import io.tidemark.transport.ConnectionHandler;
import io.tidemark.transport.Frame;
import io.tidemark.transport.Transport;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.MessageReader;
import io.tidemark.wire.MessageWriter;
import io.tidemark.wire.Role;
import io.tidemark.wire.sbe.HelloReplyDecoder;
import io.tidemark.wire.sbe.HelloReplyEncoder;
import io.tidemark.wire.sbe.UpdateStatesReplyDecoder;
import io.tidemark.wire.sbe.UpdateStatesReplyEncoder;
import io.tidemark.wire.sbe.UpdateStatesRequestEncoder;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The controller's connection to one broker, over which it sends records. Only which partitions have news is kept, so
 * that the newest record of each is sent, once, and the memory is bounded by the number of partitions. One request is
 * outstanding. After a connect everything is news: the broker may have missed anything. Owned by the conductor.
 */
final class BrokerLink implements ConnectionHandler {
    /** Records in one request, so that a request stays far below the largest frame. */
    static final int RECORDS_MAX = 500;

    /** Deletions in one request; records come after the last of them. */
    static final int DELETIONS_MAX = 5_000;

    /** How long a broker may take to connect or to answer before the connection is given up. */
    static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);

    /** A broker that has no news hears this often that its controller is there; see the conductor's silence limit. */
    static final long HEARTBEAT_NS = TimeUnit.SECONDS.toNanos(10);

    /** What the links of one controller share. */
    interface Office {
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
         * The records.
         *
         * @return the view to send from
         */
        ClusterView view();

        /**
         * Who the controller is.
         *
         * @return this broker's id
         */
        int brokerId();

        /**
         * The controller's term.
         *
         * @return its epoch
         */
        long controllerEpoch();

        /**
         * A broker has seen a later controller.
         *
         * @param epoch the later one's epoch
         */
        void superseded(long epoch);

        /**
         * The connection with a broker broke or could not be made.
         *
         * @param broker its id
         * @param incarnation its registration number
         */
        void linkLost(int broker, long incarnation);

        /**
         * A broker has taken records.
         *
         * @param broker its id
         * @param records what it was sent and answered
         * @param deleted topics of which it was told that they are deleted
         */
        void taken(int broker, List<VersionedRecord> records, List<UUID> deleted);
    }

    private final Office office;
    private final BrokerRegistration broker;
    private final Backoff backoff;
    private final MessageReader reader = new MessageReader();
    private final MessageWriter writer = new MessageWriter();
    private final Set<PartitionId> news = new LinkedHashSet<>();
    private final Set<UUID> deletions = new LinkedHashSet<>();
    private List<VersionedRecord> sent = List.of();
    private List<UUID> sentDeletions = List.of();
    private @Nullable Connection connection;
    private boolean isReady;
    private boolean isFull;
    private boolean isOutstanding;
    private boolean isClosed;
    private long correlationId;
    private long deadlineNs;
    private long sentNs;
    private long nowNs;

    /**
     * Prepares the connection, which {@link #tick} makes.
     *
     * @param office what it shares with others
     * @param broker the other side
     * @param backoff times between attempts
     * @param nowNs now
     */
    BrokerLink(Office office, BrokerRegistration broker, Backoff backoff, long nowNs) {
        this.office = office;
        this.broker = broker;
        this.backoff = backoff;
        this.deadlineNs = nowNs;
        this.nowNs = nowNs;
    }

    /**
     * The other side.
     *
     * @return its registration
     */
    BrokerRegistration broker() {
        return broker;
    }

    /**
     * A partition has news.
     *
     * @param id the partition
     */
    void publish(PartitionId id) {
        news.add(id);
    }

    /**
     * A topic is deleted.
     *
     * @param topicId its id
     */
    void publishDeletion(UUID topicId) {
        deletions.add(topicId);
    }

    /**
     * Connects, gives up what takes too long, and sends news.
     *
     * @param now the time
     * @return count of things done
     */
    int tick(long now) {
        nowNs = now;
        if (isClosed) {
            return 0;
        }
        Connection current = connection;
        if (current == null) {
            if (deadlineNs - now > 0) {
                return 0;
            }
            deadlineNs = now + TIMEOUT_NS;
            connection = office.transport().connect(broker.host(), broker.port(), TIMEOUT_NS, this);
            return 1;
        }
        if ((isOutstanding || !isReady) && deadlineNs - now <= 0) {
            drop(current);
            return 1;
        }
        boolean isDue = !news.isEmpty() || !deletions.isEmpty() || now - sentNs >= HEARTBEAT_NS;
        return isReady && !isOutstanding && isDue ? send(current) : 0;
    }

    /** Ends the connection for good. */
    void close() {
        isClosed = true;
        Connection current = connection;
        if (current != null) {
            drop(current);
        }
    }

    private int send(Connection to) {
        List<UUID> gone = deletions.stream().limit(DELETIONS_MAX).toList();
        gone.forEach(deletions::remove);
        List<VersionedRecord> batch = new ArrayList<>();
        for (Iterator<PartitionId> all = news.iterator();
                all.hasNext() && batch.size() < RECORDS_MAX && deletions.isEmpty(); ) {
            VersionedRecord record = office.view().record(all.next());
            all.remove();
            if (record != null) {
                batch.add(record);
            }
        }
        UpdateStatesRequestEncoder request = writer.updateStatesRequest()
                .correlationId(++correlationId)
                .controllerBroker(office.brokerId())
                .controllerEpoch(office.controllerEpoch())
                .full((short) (isFull && news.isEmpty() ? 1 : 0));
        UpdateStatesRequestEncoder.StatesEncoder states = request.statesCount(batch.size());
        for (VersionedRecord record : batch) {
            // The topic may have been changed since the record was written.
            TopicState newest = office.view().topic(record.id().topicId());
            byte[] topicJson = MetadataJson.encode(newest == null ? record.topic() : newest);
            byte[] stateJson = MetadataJson.encode(record.state());
            states.next()
                    .topicIdHigh(record.id().topicId().getMostSignificantBits())
                    .topicIdLow(record.id().topicId().getLeastSignificantBits())
                    .partition(record.id().partition())
                    .createRevision(record.version().createRevision())
                    .modRevision(record.version().modRevision())
                    .casToken(record.version().casToken())
                    .topicName(record.topic().name())
                    .putTopicJson(topicJson, 0, topicJson.length)
                    .putStateJson(stateJson, 0, stateJson.length);
        }
        UpdateStatesRequestEncoder.DeletedEncoder deleted = request.deletedCount(gone.size());
        for (UUID topicId : gone) {
            deleted.next().topicIdHigh(topicId.getMostSignificantBits()).topicIdLow(topicId.getLeastSignificantBits());
        }
        isFull &= !news.isEmpty();
        isOutstanding = true;
        sent = batch;
        sentDeletions = gone;
        sentNs = nowNs;
        deadlineNs = nowNs + TIMEOUT_NS;
        to.send(writer.buffer(), 0, writer.length());
        to.flush();
        return 1;
    }

    private void drop(Connection current) {
        connection = null;
        isReady = false;
        isOutstanding = false;
        deadlineNs = nowNs + backoff.nextNs();
        current.close();
    }

    @Override
    public void onOpen(Connection opened) {
        office.hellos().encode(writer, Role.CONTROLLER, office.controllerEpoch());
        opened.send(writer.buffer(), 0, writer.length());
        opened.flush();
    }

    @Override
    public void onFrame(Connection from, Frame frame) {
        if (from != connection) {
            return;
        }
        if (frame.templateId() == HelloReplyEncoder.TEMPLATE_ID) {
            HelloReplyDecoder reply = reader.helloReply(frame.buffer(), frame.headerIndex(), frame.headerLength());
            greeted(from, ErrorCode.of(reply.code()), reply.incarnation());
        } else if (frame.templateId() == UpdateStatesReplyEncoder.TEMPLATE_ID) {
            UpdateStatesReplyDecoder reply =
                    reader.updateStatesReply(frame.buffer(), frame.headerIndex(), frame.headerLength());
            answered(from, ErrorCode.of(reply.code()), reply.controllerEpoch());
        } else {
            drop(from);
        }
    }

    private void greeted(Connection from, ErrorCode code, long incarnation) {
        if (code != ErrorCode.NONE || incarnation != broker.incarnation()) {
            // Not (yet, or any more) the life that was registered: the registrations will tell.
            drop(from);
            return;
        }
        backoff.reset();
        isReady = true;
        isFull = true;
        deletions.addAll(office.view().deleted());
        news.addAll(office.view().partitions());
        send(from);
    }

    private void answered(Connection from, ErrorCode code, long epoch) {
        isOutstanding = false;
        if (code == ErrorCode.STALE_CONTROLLER_EPOCH) {
            office.superseded(epoch);
        } else if (code != ErrorCode.NONE) {
            drop(from);
        } else {
            office.taken(broker.broker(), sent, sentDeletions);
        }
        sent = List.of();
        sentDeletions = List.of();
    }

    @Override
    public void onReadComplete(Connection from) {
        // Requests are flushed as they are sent.
    }

    @Override
    public void onWritable(Connection to) {
        // One request is outstanding at a time, so nothing piles up.
    }

    @Override
    public void onClosed(Connection closed, @Nullable Throwable cause) {
        if (closed == connection) {
            connection = null;
            isReady = false;
            isOutstanding = false;
            deadlineNs = nowNs + backoff.nextNs();
            office.linkLost(broker.broker(), broker.incarnation());
        }
    }
}
