package io.tidemark.fetch;

import io.tidemark.controller.BrokerRegistration;
import io.tidemark.partition.EpochHistory;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.Replica;
import io.tidemark.transport.Connection;
import io.tidemark.transport.ConnectionHandler;
import io.tidemark.transport.Frame;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.FrameDescriptor;
import io.tidemark.wire.MessageReader;
import io.tidemark.wire.MessageWriter;
import io.tidemark.wire.Role;
import io.tidemark.wire.WireFormatException;
import io.tidemark.wire.sbe.FetchReplyDecoder;
import io.tidemark.wire.sbe.FetchRequestEncoder;
import io.tidemark.wire.sbe.HelloReplyDecoder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.UUID;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A follower's connection to the lane of one leader. Owned by the lane's thread.
 *
 * <pre>
 * phase      event                          next
 * IDLE       registered, pause is over      CONNECTING
 * CONNECTING opened                         GREETING (Hello sent)
 * GREETING   HelloReply without error       FETCHING (full request sent)
 * any        closed, refused, silent        IDLE, pause doubled
 * </pre>
 *
 * <p>In FETCHING one request is always at the leader, which parks it. A request mentions only the partitions whose
 * position changed. If there is something to mention while one is parked, a second request is sent, which takes the
 * first one's place at the leader, so that a new epoch never waits for the end of a park.
 */
final class LeaderConnection implements ConnectionHandler {
    /**
     * Most partitions mentioned in one request; more go into the next, and the leader does not park before the last.
     */
    static final int REQUEST_PARTITIONS_MAX = 10_000;

    private static final long NO_DEADLINE = Long.MAX_VALUE;
    private static final long MILLISECOND_NS = 1_000_000L;

    private enum Phase {
        IDLE,
        CONNECTING,
        GREETING,
        FETCHING
    }

    private final FollowerFetcher fetcher;
    private final int broker;
    private final MessageWriter writer = new MessageWriter();
    private final MessageReader reader = new MessageReader();
    private final PartitionMap<FollowedPartition> partitions = new PartitionMap<>();
    private final ArrayDeque<FollowedPartition> mentions = new ArrayDeque<>();
    private final ArrayList<FollowedPartition> asking = new ArrayList<>();
    private final ArrayDeque<PartitionId> forgotten = new ArrayDeque<>();
    private @Nullable BrokerRegistration registration;
    private @Nullable Connection connection;
    private Phase phase = Phase.IDLE;
    private long incarnation = -1;
    private long backOffNs;
    private long dueNs;
    private int nextSequence;
    private long correlationId;
    private boolean answered;
    private boolean inRead;

    /**
     * Creates a connection that is not made yet.
     *
     * @param fetcher that owns it
     * @param broker id of the leader
     */
    LeaderConnection(FollowerFetcher fetcher, int broker) {
        this.fetcher = fetcher;
        this.broker = broker;
        this.backOffNs = fetcher.config().backOffMinNs();
        this.dueNs = Long.MIN_VALUE;
    }

    /**
     * Id of the leader.
     *
     * @return the id
     */
    int broker() {
        return broker;
    }

    /**
     * Whether nothing is followed here.
     *
     * @return true if it can be given up
     */
    boolean isUnused() {
        return partitions.size() == 0;
    }

    /**
     * Takes the leader's registration: its address, and whether it is still the process that answered.
     *
     * @param newRegistration null if the leader is not registered
     * @param nowNs time of this batch
     */
    void onRegistration(@Nullable BrokerRegistration newRegistration, long nowNs) {
        registration = newRegistration;
        if (newRegistration == null) {
            return;
        }
        if (phase == Phase.FETCHING && newRegistration.incarnation() > incarnation) {
            close();
        }
        if (phase == Phase.IDLE) {
            backOffNs = fetcher.config().backOffMinNs();
            dueNs = nowNs;
        }
    }

    /**
     * Begins to follow a partition.
     *
     * @param partition to follow
     */
    void add(FollowedPartition partition) {
        partitions.put(partition.id, partition);
        forgotten.remove(partition.id);
    }

    /**
     * Ceases to follow a partition.
     *
     * @param partition to leave
     */
    void remove(FollowedPartition partition) {
        UUID topicId = partition.id.topicId();
        partitions.remove(
                topicId.getMostSignificantBits(), topicId.getLeastSignificantBits(), partition.id.partition());
        // What stands in the list still is passed over when its turn comes.
        partition.mentionQueued = false;
        if (phase == Phase.FETCHING) {
            forgotten.addLast(partition.id);
        }
    }

    /**
     * Puts a partition on the list for the next request.
     *
     * @param partition that is followed here
     */
    void mention(FollowedPartition partition) {
        if (!partition.mentionQueued) {
            partition.mentionQueued = true;
            mentions.addLast(partition);
        }
    }

    /** Closes the connection, if there is one; it is made again after a pause. */
    void close() {
        Connection current = connection;
        connection = null;
        if (current != null) {
            fail();
            current.close();
        }
    }

    /**
     * Connects if the pause is over, and gives a silent leader up.
     *
     * @param nowNs the time
     * @return number of things done
     */
    int onTime(long nowNs) {
        Replica self = fetcher.self();
        BrokerRegistration target = registration;
        if (phase == Phase.IDLE) {
            if (self == null || target == null || nowNs < dueNs) {
                return 0;
            }
            phase = Phase.CONNECTING;
            dueNs = nowNs
                    + fetcher.config().connectTimeoutNs()
                    + fetcher.config().replyTimeoutNs();
            connection = fetcher.transport()
                    .connect(target.host(), target.port(), fetcher.config().connectTimeoutNs(), this);
            return 1;
        }
        if (nowNs >= dueNs) {
            close();
            return 1;
        }
        return sendFetch(nowNs) ? 1 : 0;
    }

    /**
     * When {@link #onTime} has something to do next.
     *
     * @return the time, {@link Long#MAX_VALUE} if it cannot connect now
     */
    long deadlineNs() {
        if (phase == Phase.IDLE && (fetcher.self() == null || registration == null)) {
            return NO_DEADLINE;
        }
        return dueNs;
    }

    /**
     * Sends a request if there is something to mention.
     *
     * @param nowNs time of this batch
     */
    void onBatchEnd(long nowNs) {
        if (!inRead) {
            sendFetch(nowNs);
        }
    }

    @Override
    public void onOpen(Connection opened) {
        Replica self = fetcher.self();
        if (opened != connection || self == null) {
            opened.close();
            return;
        }
        phase = Phase.GREETING;
        dueNs = fetcher.sink().nowNs() + fetcher.config().replyTimeoutNs();
        writer.hello()
                .protocolVersion(FrameDescriptor.PROTOCOL_VERSION)
                .role((short) Role.FOLLOWER.code())
                .lane(fetcher.lane())
                .brokerId(self.broker())
                .incarnation(self.incarnation())
                .controllerEpoch(-1)
                .clusterId(fetcher.clusterId());
        opened.send(writer.buffer(), 0, writer.length());
        opened.flush();
    }

    @Override
    public void onFrame(Connection from, Frame frame) {
        if (from != connection) {
            return;
        }
        inRead = true;
        try {
            if (phase == Phase.GREETING && frame.templateId() == HelloReplyDecoder.TEMPLATE_ID) {
                onHelloReply(from, frame);
            } else if (phase == Phase.FETCHING && frame.templateId() == FetchReplyDecoder.TEMPLATE_ID) {
                onFetchReply(frame);
            } else {
                throw new WireFormatException("unexpected message from a leader: broker=" + broker + ", phase=" + phase
                        + ", templateId=" + frame.templateId());
            }
        } catch (WireFormatException e) {
            throw e;
        } catch (Throwable e) {
            fetcher.sink().onFailure(e);
        }
    }

    @Override
    public void onReadComplete(Connection from) {
        inRead = false;
        if (from == connection) {
            sendFetch(fetcher.sink().nowNs());
        }
        fetcher.sink().onBatchEnd();
    }

    @Override
    public void onWritable(Connection from) {
        // Requests are small and at most two wait, so that nothing has to be held back.
    }

    @Override
    public void onClosed(Connection closed, @Nullable Throwable cause) {
        if (closed != connection) {
            return;
        }
        connection = null;
        boolean wasFetching = phase == Phase.FETCHING;
        fail();
        if (wasFetching) {
            fetcher.sink().onLeaderLost(broker, incarnation);
        }
    }

    private void fail() {
        phase = Phase.IDLE;
        inRead = false;
        forgotten.clear();
        dueNs = fetcher.sink().nowNs() + backOffNs;
        backOffNs = Math.min(2 * backOffNs, fetcher.config().backOffMaxNs());
    }

    private void onHelloReply(Connection from, Frame frame) {
        HelloReplyDecoder reply = reader.helloReply(frame.buffer(), frame.headerIndex(), frame.headerLength());
        ErrorCode code = ErrorCode.of(reply.code());
        if (code != ErrorCode.NONE || reply.brokerId() != broker) {
            if (!code.retriable()) {
                reply.skipClusterId();
                fetcher.sink()
                        .onRefused(
                                broker,
                                "address=" + from.remoteAddress() + ", code=" + code + ", brokerId=" + reply.brokerId()
                                        + ", message=" + reply.message());
            }
            close();
            return;
        }
        incarnation = reply.incarnation();
        phase = Phase.FETCHING;
        startSession();
    }

    private void startSession() {
        nextSequence = 0;
        answered = true;
        forgotten.clear();
        partitions.forEach(this::mention);
    }

    private void onFetchReply(Frame frame) {
        FetchReplyDecoder reply = reader.fetchReply(frame.buffer(), frame.headerIndex(), frame.headerLength());
        boolean newest = reply.correlationId() == correlationId;
        answered |= newest;
        ErrorCode code = ErrorCode.of(reply.code());
        if (code == ErrorCode.INVALID_FETCH_SESSION) {
            if (newest) {
                startSession();
            }
            return;
        }
        if (code != ErrorCode.NONE) {
            fetcher.sink().onRefused(broker, "request=fetch, code=" + code);
            close();
            return;
        }
        backOffNs = fetcher.config().backOffMinNs();
        int index = frame.payloadIndex();
        int end = index + frame.payloadLength();
        for (FetchReplyDecoder.PartitionsDecoder p : reply.partitions()) {
            int length = p.payloadLength();
            if (length < 0 || length > end - index) {
                throw new WireFormatException("payload does not fit its frame: message=FetchReply, payloadLength="
                        + length + ", left=" + (end - index));
            }
            FollowedPartition partition = partitions.get(p.topicIdHigh(), p.topicIdLow(), p.partition());
            if (partition != null && partition.leaderEpoch == p.leaderEpoch()) {
                onPartition(partition, p, frame.buffer(), index);
            }
            index += length;
        }
    }

    private void onPartition(
            FollowedPartition partition, FetchReplyDecoder.PartitionsDecoder p, DirectBuffer buffer, int index) {
        ErrorCode code = ErrorCode.of(p.code());
        ReplicaSink sink = fetcher.sink();
        boolean ok;
        if (code == ErrorCode.NONE && p.payloadLength() == 0) {
            sink.onNews(partition, p.highWatermark(), p.logStartOffset());
            return;
        } else if (code == ErrorCode.NONE && partition.askedOffset != partition.log.logEndOffset()) {
            // The log moved since it asked. Offsets may have gaps, so that the log could not see what is missing.
            ok = true;
        } else if (code == ErrorCode.NONE) {
            ok = sink.onData(partition, buffer, index, p.payloadLength(), p.highWatermark(), p.logStartOffset());
        } else if (code == ErrorCode.DIVERGED) {
            ok = diverged(partition, p);
        } else if (code == ErrorCode.OFFSET_OUT_OF_RANGE) {
            ok = sink.onOutOfRange(partition, p.logStartOffset());
        } else {
            ok = false;
        }
        if (partition.leader == this) {
            if (ok) {
                mention(partition);
            } else {
                fetcher.backOff(partition, sink.nowNs());
            }
        }
    }

    /** An answer that cuts nothing would be given again at once, so that the question waits. */
    private boolean diverged(FollowedPartition partition, FetchReplyDecoder.PartitionsDecoder p) {
        long logEndOffset = partition.log.logEndOffset();
        int lastEpoch = LogEpochs.lastBatchEpoch(partition.log);
        boolean ok = fetcher.sink().onDiverged(partition, p.divergingEpoch(), p.divergingEndOffset());
        return ok
                && (partition.log.logEndOffset() != logEndOffset
                        || LogEpochs.lastBatchEpoch(partition.log) != lastEpoch);
    }

    private boolean sendFetch(long nowNs) {
        Connection current = connection;
        Replica self = fetcher.self();
        if (phase != Phase.FETCHING
                || current == null
                || self == null
                || (!answered && mentions.isEmpty() && forgotten.isEmpty())) {
            return false;
        }
        takeMentions();
        int count = asking.size();
        int gone = Math.min(forgotten.size(), REQUEST_PARTITIONS_MAX);
        boolean more = !mentions.isEmpty() || forgotten.size() > gone;
        int waitMs = more ? 0 : fetcher.config().maxWaitMs();
        FetchRequestEncoder request = writer.fetchRequest();
        request.correlationId(++correlationId)
                .brokerId(self.broker())
                .incarnation(self.incarnation())
                .sessionSequence(nextSequence++)
                .maxWaitMs(waitMs)
                .maxBytes(fetcher.config().maxBytes());
        FetchRequestEncoder.PartitionsEncoder group = request.partitionsCount(count);
        for (int i = 0; i < count; i++) {
            encode(group.next(), asking.get(i));
        }
        FetchRequestEncoder.ForgottenEncoder goneGroup = request.forgottenCount(gone);
        for (int i = 0; i < gone; i++) {
            PartitionId id = forgotten.removeFirst();
            goneGroup
                    .next()
                    .topicIdHigh(id.topicId().getMostSignificantBits())
                    .topicIdLow(id.topicId().getLeastSignificantBits())
                    .partition(id.partition());
        }
        answered = false;
        dueNs = nowNs + waitMs * MILLISECOND_NS + fetcher.config().replyTimeoutNs();
        current.send(writer.buffer(), 0, writer.length());
        current.flush();
        return true;
    }

    private void takeMentions() {
        asking.clear();
        while (!mentions.isEmpty() && asking.size() < REQUEST_PARTITIONS_MAX) {
            FollowedPartition partition = mentions.removeFirst();
            if (partition.leader == this && partition.mentionQueued) {
                partition.mentionQueued = false;
                asking.add(partition);
            }
        }
    }

    private static void encode(FetchRequestEncoder.PartitionsEncoder entry, FollowedPartition partition) {
        UUID topicId = partition.id.topicId();
        int lastEpoch = LogEpochs.lastBatchEpoch(partition.log);
        partition.askedOffset = partition.log.logEndOffset();
        entry.topicIdHigh(topicId.getMostSignificantBits())
                .topicIdLow(topicId.getLeastSignificantBits())
                .partition(partition.id.partition())
                .leaderEpoch(partition.leaderEpoch)
                .fetchOffset(partition.askedOffset)
                .flushedOffset(partition.log.flushedOffset())
                .lastFetchedEpoch(lastEpoch < 0 ? EpochHistory.NO_EPOCH : lastEpoch);
    }
}
