package io.tidemark.fetch;

import io.tidemark.log.EpochEnd;
import io.tidemark.log.LogSlice;
import io.tidemark.log.OffsetOutOfRangeException;
import io.tidemark.log.StorageException;
import io.tidemark.partition.EpochHistory;
import io.tidemark.partition.FetchCheck;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionLeader;
import io.tidemark.transport.Connection;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.MessageWriter;
import io.tidemark.wire.sbe.FetchReplyEncoder;
import io.tidemark.wire.sbe.FetchRequestDecoder;
import java.util.ArrayList;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The leader's side of replication: keeps an incremental session per follower connection, takes each fetch as
 * acknowledgement, as question about divergence and as request for data, parks it if there is nothing to say and
 * answers it at the end of a batch of events. Owned by the progress stage.
 *
 * <p>The cost of a batch is that of the partitions that changed in it. Partitions with data are served in the order
 * in which they became ready; one that did not fit is first in the next reply. A failing partition gets an error
 * code in the reply and stops no other.
 *
 * <p>News of a high watermark alone answers no parked fetch: it rides on the next reply, at the latest on the one at
 * the end of the wait.
 *
 * <p>A request that comes while another is parked takes its place; only the newest is answered.
 */
public final class FetchService {
    /** Most partitions in one reply. */
    public static final int REPLY_PARTITIONS_MAX = 1024;

    /** Longest time a fetch is parked, whatever the follower asks for. */
    public static final int WAIT_MAX_MS = 60_000;

    private static final long NO_DEADLINE = Long.MAX_VALUE;
    private static final long MILLISECOND_NS = 1_000_000L;

    private final PartitionMap<ServedPartition> partitions;
    private final PartitionFaults faults;
    private final AtomicLong replyCounter;
    private final MessageWriter writer = new MessageWriter();
    private final ArrayList<FetchSession> sessions = new ArrayList<>();
    private final ArrayList<FetchSession> toServe = new ArrayList<>();
    private final FetchEntry[] chosen = new FetchEntry[REPLY_PARTITIONS_MAX];
    private final LogSlice[] slices = new LogSlice[REPLY_PARTITIONS_MAX];
    private int chosenCount;
    private int sliceCount;

    /**
     * Creates a service without sessions.
     *
     * @param partitions that this broker has; changed by the owner of the lane
     * @param faults is told of logs that failed
     * @param replyCounter counts replies
     */
    public FetchService(PartitionMap<ServedPartition> partitions, PartitionFaults faults, AtomicLong replyCounter) {
        this.partitions = partitions;
        this.faults = faults;
        this.replyCounter = replyCounter;
        for (int i = 0; i < slices.length; i++) {
            slices[i] = new LogSlice();
        }
    }

    /**
     * Opens the session of a follower's connection.
     *
     * @param connection that its Hello came on
     * @param broker id of the follower
     * @param incarnation of the follower
     * @return the session, empty
     */
    public FetchSession open(Connection connection, int broker, long incarnation) {
        FetchSession session = new FetchSession(connection, broker, incarnation);
        sessions.add(session);
        return session;
    }

    /**
     * Ends a session whose connection is closed.
     *
     * @param session to end
     */
    public void close(FetchSession session) {
        session.closed = true;
        session.waiting = false;
        sessions.remove(session);
        session.entries.forEach(this::detach);
        session.entries.clear();
        session.ready.clear();
        session.news.clear();
    }

    /**
     * Takes a fetch request: judges every partition that it mentions. The reply is sent by {@link #serve}.
     *
     * @param session of its connection
     * @param request checked, not read yet
     * @param nowNs time of this batch
     */
    public void onRequest(FetchSession session, FetchRequestDecoder request, long nowNs) {
        session.correlationId = request.correlationId();
        if (request.brokerId() != session.broker || request.incarnation() != session.incarnation) {
            replyError(session, ErrorCode.INVALID_REQUEST);
            return;
        }
        int sequence = request.sessionSequence();
        if (sequence == 0) {
            session.entries.forEach(this::detach);
            session.entries.clear();
            session.ready.clear();
            session.news.clear();
        } else if (sequence != session.nextSequence) {
            session.nextSequence = -1;
            replyError(session, ErrorCode.INVALID_FETCH_SESSION);
            return;
        }
        session.nextSequence = sequence + 1;
        session.maxBytes = Math.max(1, request.maxBytes());
        session.parkedUntilNs = nowNs + Math.min(Math.max(0, request.maxWaitMs()), WAIT_MAX_MS) * MILLISECOND_NS;
        session.waiting = true;
        for (FetchRequestDecoder.PartitionsDecoder p : request.partitions()) {
            FetchEntry entry = entryFor(session, p.topicIdHigh(), p.topicIdLow(), p.partition());
            entry.leaderEpoch = p.leaderEpoch();
            entry.fetchOffset = p.fetchOffset();
            entry.lastFetchedEpoch = p.lastFetchedEpoch();
            entry.armed = true;
            entry.forgetSent();
            judge(entry, nowNs);
        }
        for (FetchRequestDecoder.ForgottenDecoder f : request.forgotten()) {
            FetchEntry entry = session.entries.remove(f.topicIdHigh(), f.topicIdLow(), f.partition());
            if (entry != null) {
                detach(entry);
            }
        }
        if (!toServe.contains(session)) {
            toServe.add(session);
        }
    }

    /**
     * Records were appended to a partition: its armed fetches have data.
     *
     * @param partition that grew
     */
    public void onAppended(ServedPartition partition) {
        ArrayList<FetchEntry> entries = partition.entries;
        for (int i = 0; i < entries.size(); i++) {
            FetchEntry entry = entries.get(i);
            if (entry.armed && !entry.ready && entry.code == ErrorCode.NONE) {
                entry.session.makeReady(entry);
                if (entry.session.waiting && !toServe.contains(entry.session)) {
                    toServe.add(entry.session);
                }
            }
        }
    }

    /**
     * The high watermark or the log start moved.
     *
     * @param partition in which it moved
     */
    public void onNews(ServedPartition partition) {
        ArrayList<FetchEntry> entries = partition.entries;
        for (int i = 0; i < entries.size(); i++) {
            FetchEntry entry = entries.get(i);
            if (entry.armed && entry.code == ErrorCode.NONE) {
                entry.session.makeNews(entry);
            }
        }
    }

    /**
     * The role or the epoch of a partition changed: every armed fetch of it is judged anew, and answered with an
     * error unless it was asked in the new epoch.
     *
     * @param partition that changed
     * @param nowNs time of this batch
     */
    public void onRoleChanged(ServedPartition partition, long nowNs) {
        ArrayList<FetchEntry> entries = partition.entries;
        for (int i = 0; i < entries.size(); i++) {
            FetchEntry entry = entries.get(i);
            if (entry.armed) {
                judge(entry, nowNs);
                if (entry.ready && entry.session.waiting && !toServe.contains(entry.session)) {
                    toServe.add(entry.session);
                }
            }
        }
    }

    /**
     * Answers the parked fetches that have something to say.
     *
     * @param nowNs time of this batch
     * @return number of replies sent
     */
    public int serve(long nowNs) {
        int replies = 0;
        for (int i = 0; i < toServe.size(); i++) {
            FetchSession session = toServe.get(i);
            if (session.waiting && !session.closed && reply(session, nowNs >= session.parkedUntilNs)) {
                replies++;
            }
        }
        toServe.clear();
        return replies;
    }

    /**
     * Answers fetches whose wait has ended.
     *
     * @param nowNs time of this batch
     * @return number of replies sent
     */
    public int onTime(long nowNs) {
        int replies = 0;
        for (int i = 0; i < sessions.size(); i++) {
            FetchSession session = sessions.get(i);
            if (session.waiting && nowNs >= session.parkedUntilNs && reply(session, true)) {
                replies++;
            }
        }
        return replies;
    }

    /**
     * When {@link #onTime} has something to do next.
     *
     * @return the time, {@link Long#MAX_VALUE} if nothing is parked
     */
    public long deadlineNs() {
        long deadlineNs = NO_DEADLINE;
        for (int i = 0; i < sessions.size(); i++) {
            FetchSession session = sessions.get(i);
            if (session.waiting) {
                deadlineNs = Math.min(deadlineNs, session.parkedUntilNs);
            }
        }
        return deadlineNs;
    }

    /** Closes every follower's connection, because the lane serves nobody any more. */
    public void closeAll() {
        for (FetchSession session : new ArrayList<>(sessions)) {
            session.connection.close();
        }
        toServe.clear();
    }

    private void judge(FetchEntry entry, long nowNs) {
        ErrorCode code = check(entry, nowNs);
        ServedPartition partition = entry.partition;
        if (code == ErrorCode.DIVERGED && partition != null) {
            entry.answerDiverged(partition.log.endOffsetForEpoch(entry.lastFetchedEpoch));
        } else {
            entry.answer(code);
        }
        if (partition == null || entry.code != ErrorCode.NONE) {
            entry.session.makeReady(entry);
        } else if (entry.fetchOffset < partition.log.logEndOffset()) {
            entry.session.makeReady(entry);
        } else {
            noteNews(entry, partition);
        }
    }

    private void noteNews(FetchEntry entry, ServedPartition partition) {
        PartitionLeader leader = partition.leader();
        if (leader != null
                && (leader.highWatermark() != entry.sentHighWatermark
                        || partition.log.logStartOffset() != entry.sentLogStartOffset)) {
            entry.session.makeNews(entry);
        }
    }

    private ErrorCode check(FetchEntry entry, long nowNs) {
        ServedPartition partition = entry.partition;
        if (partition == null) {
            return ErrorCode.UNKNOWN_TOPIC;
        }
        PartitionLeader leader = partition.leader();
        if (leader == null) {
            return entry.leaderEpoch > partition.leaderEpoch()
                    ? ErrorCode.UNKNOWN_EPOCH
                    : entry.leaderEpoch < partition.leaderEpoch() ? ErrorCode.STALE_EPOCH : ErrorCode.NOT_LEADER;
        }
        if (entry.leaderEpoch == partition.leaderEpoch()) {
            ErrorCode place = checkPlace(entry, partition);
            if (place != ErrorCode.NONE) {
                return place;
            }
        }
        FetchCheck result = leader.onFollowerFetch(
                entry.session.broker, entry.session.incarnation, entry.leaderEpoch, entry.fetchOffset, nowNs);
        return switch (result) {
            case OK -> ErrorCode.NONE;
            case STALE_EPOCH -> ErrorCode.STALE_EPOCH;
            case UNKNOWN_EPOCH -> ErrorCode.UNKNOWN_EPOCH;
            case NOT_REPLICA -> ErrorCode.NOT_REPLICA;
            case BEYOND_LOG_END -> ErrorCode.OFFSET_OUT_OF_RANGE;
        };
    }

    /** Whether the follower's log is a prefix of the leader's. A log start above its end wins over a divergence. */
    private static ErrorCode checkPlace(FetchEntry entry, ServedPartition partition) {
        if (entry.fetchOffset < partition.log.logStartOffset()) {
            return ErrorCode.OFFSET_OUT_OF_RANGE;
        }
        if (entry.lastFetchedEpoch == EpochHistory.NO_EPOCH) {
            return ErrorCode.NONE;
        }
        EpochEnd end = partition.log.endOffsetForEpoch(entry.lastFetchedEpoch);
        boolean diverges = end.epoch() != entry.lastFetchedEpoch || end.endOffset() < entry.fetchOffset;
        return diverges ? ErrorCode.DIVERGED : ErrorCode.NONE;
    }

    /** Sends a reply if there is data or an error, or, at the end of the wait, whatever there is. */
    private boolean reply(FetchSession session, boolean waitIsOver) {
        chosenCount = 0;
        sliceCount = 0;
        try {
            choose(session);
            if (chosenCount == 0 && !waitIsOver) {
                return false;
            }
            chooseNews(session);
            session.waiting = false;
            encode(session);
            session.connection.send(writer.buffer(), 0, writer.length(), slices, sliceCount);
            sliceCount = 0;
            session.connection.flush();
            replyCounter.lazySet(replyCounter.getPlain() + 1);
            return true;
        } finally {
            for (int i = 0; i < sliceCount; i++) {
                slices[i].close();
            }
            for (int i = 0; i < chosenCount; i++) {
                chosen[i].payloadLength = 0;
            }
        }
    }

    private void choose(FetchSession session) {
        int bytes = 0;
        while (!session.ready.isEmpty() && chosenCount < REPLY_PARTITIONS_MAX && bytes < session.maxBytes) {
            FetchEntry entry = session.ready.removeFirst();
            entry.ready = false;
            if (!entry.armed) {
                continue;
            }
            if (entry.code == ErrorCode.NONE && !read(entry, session.maxBytes - bytes)) {
                continue;
            }
            bytes += entry.payloadLength;
            chosen[chosenCount++] = entry;
        }
    }

    /** Leases the next slice for an entry; false if there is nothing to say about it after all. */
    private boolean read(FetchEntry entry, int maxBytes) {
        ServedPartition partition = entry.partition;
        if (partition == null) {
            return false;
        }
        faults.onTouch(partition);
        LogSlice slice = slices[sliceCount];
        try {
            long end = partition.log.logEndOffset();
            if (entry.fetchOffset >= end || !partition.log.read(entry.fetchOffset, maxBytes, end, slice)) {
                return false;
            }
        } catch (OffsetOutOfRangeException e) {
            // The log start moved on since the fetch was judged.
            entry.answer(ErrorCode.OFFSET_OUT_OF_RANGE);
            return true;
        } catch (StorageException e) {
            faults.onFault(partition, e);
            entry.answer(ErrorCode.STORAGE_ERROR);
            return true;
        }
        sliceCount++;
        entry.payloadLength = slice.length();
        return true;
    }

    private void chooseNews(FetchSession session) {
        while (!session.news.isEmpty() && chosenCount < REPLY_PARTITIONS_MAX) {
            FetchEntry entry = session.news.removeFirst();
            entry.hasNews = false;
            ServedPartition partition = entry.partition;
            if (entry.armed && entry.code == ErrorCode.NONE && !isChosen(entry) && partition != null) {
                PartitionLeader leader = partition.leader();
                if (leader != null
                        && (leader.highWatermark() != entry.sentHighWatermark
                                || partition.log.logStartOffset() != entry.sentLogStartOffset)) {
                    chosen[chosenCount++] = entry;
                }
            }
        }
    }

    private boolean isChosen(FetchEntry entry) {
        return entry.payloadLength > 0;
    }

    private void encode(FetchSession session) {
        FetchReplyEncoder reply = writer.fetchReply();
        reply.correlationId(session.correlationId).code(ErrorCode.NONE.code());
        FetchReplyEncoder.PartitionsEncoder group = reply.partitionsCount(chosenCount);
        for (int i = 0; i < chosenCount; i++) {
            FetchEntry entry = chosen[i];
            ServedPartition partition = entry.partition;
            PartitionLeader leader = partition == null ? null : partition.leader();
            long highWatermark = leader == null ? -1 : leader.highWatermark();
            long logStartOffset = partition == null ? -1 : partition.log.logStartOffset();
            UUID topicId = entry.id.topicId();
            group.next()
                    .topicIdHigh(topicId.getMostSignificantBits())
                    .topicIdLow(topicId.getLeastSignificantBits())
                    .partition(entry.id.partition())
                    .leaderEpoch(entry.leaderEpoch)
                    .code(entry.code.code())
                    .divergingEpoch(entry.divergingEpoch)
                    .divergingEndOffset(entry.divergingEndOffset)
                    .highWatermark(highWatermark)
                    .logStartOffset(logStartOffset)
                    .payloadLength(entry.payloadLength);
            entry.sentHighWatermark = highWatermark;
            entry.sentLogStartOffset = logStartOffset;
            if (entry.payloadLength > 0 || entry.code != ErrorCode.NONE) {
                entry.armed = false;
            }
        }
    }

    private void replyError(FetchSession session, ErrorCode code) {
        session.waiting = false;
        FetchReplyEncoder reply = writer.fetchReply();
        reply.correlationId(session.correlationId).code(code.code());
        reply.partitionsCount(0);
        session.connection.send(writer.buffer(), 0, writer.length());
        session.connection.flush();
    }

    private FetchEntry entryFor(FetchSession session, long high, long low, int number) {
        FetchEntry entry = session.entries.get(high, low, number);
        if (entry == null) {
            entry = new FetchEntry(session, new PartitionId(new UUID(high, low), number));
            session.entries.put(entry.id, entry);
        }
        ServedPartition partition = partitions.get(high, low, number);
        if (entry.partition != partition) {
            detach(entry);
            entry.partition = partition;
            if (partition != null) {
                partition.entries.add(entry);
            }
        }
        return entry;
    }

    private void detach(FetchEntry entry) {
        ServedPartition partition = entry.partition;
        if (partition != null) {
            partition.entries.remove(entry);
            entry.partition = null;
        }
        entry.armed = false;
    }
}
