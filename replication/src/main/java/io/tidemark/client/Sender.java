package io.tidemark.client;

import io.tidemark.transport.Frame;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.MessageReader;
import io.tidemark.wire.MessageWriter;
import io.tidemark.wire.sbe.ProduceReplyDecoder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Sends the batches of one producer and settles them. Owned by the client's thread; {@link #list} and the flush counter
 * are for any thread.
 *
 * <p>Per partition at most {@link PartitionQueue#WINDOW_MAX} batches are under way. They are completed in the order
 * of sending, and sent again in that order with the sequences that they had: a batch that overtook a lost one is
 * refused by the broker and simply comes again after it.
 */
final class Sender {
    private static final long RETRY_PAUSE_NS = 20_000_000L;
    private static final long RETRY_PAUSE_MAX_NS = 1_000_000_000L;
    private static final int AGE_PER_PAUSE = 4;
    private static final long TIMER_NS = 10_000_000L;

    private final ProducerConfig config;
    private final BatchPool pool;
    private final BrokerLinks links;
    private final Metadata metadata;
    private final Calls calls;
    private final long requestTimeoutNs;
    private final long lingerNs;
    private final ProducerIdentity identity;
    private final Queue<PartitionQueue> newlyListed = new ConcurrentLinkedQueue<>();
    private final AtomicInteger flushers = new AtomicInteger();
    private final List<PartitionQueue> active = new ArrayList<>();
    private final List<ProducerBatch> settled = new ArrayList<>();
    private final MessageWriter writer = new MessageWriter();
    private final MessageReader reader = new MessageReader();
    private final Runnable onCompleted;
    private long nowNs;
    private long timersAtNs;
    private long nextDueNs;
    private boolean lookedAtTimers;

    /**
     * A sender of nothing.
     *
     * @param config of the producer
     * @param pool its memory
     * @param context of the client
     * @param onCompleted called after records were completed
     */
    Sender(ProducerConfig config, BatchPool pool, ClientAgent.Context context, Runnable onCompleted) {
        this.config = config;
        this.pool = pool;
        this.links = context.links();
        this.metadata = context.metadata();
        this.calls = context.calls();
        this.requestTimeoutNs = context.requestTimeoutNs();
        this.lingerNs = Deadlines.durationNs(config.linger());
        this.identity = new ProducerIdentity(config.idempotent() && config.acks() == Acks.ALL);
        this.onCompleted = onCompleted;
    }

    /**
     * Puts a queue that has become non-empty into the list. Any thread.
     *
     * @param queue of this producer
     */
    void list(PartitionQueue queue) {
        if (queue.list()) {
            newlyListed.add(queue);
        }
    }

    /**
     * Number of threads that wait for everything to be sent, while lingering is off. Any thread.
     *
     * @return the counter
     */
    AtomicInteger flushers() {
        return flushers;
    }

    /**
     * Does what is due.
     *
     * @param now in nanoseconds
     * @return count of batches sent or settled
     */
    int tick(long now) {
        nowNs = now;
        PartitionQueue listed = newlyListed.poll();
        while (listed != null) {
            active.add(listed);
            listed = newlyListed.poll();
        }
        if (active.isEmpty()) {
            return 0;
        }
        if (identity.tick(calls, now)) {
            restamp();
        }
        final boolean timers = !lookedAtTimers || Deadlines.passed(now, timersAtNs);
        if (timers) {
            lookedAtTimers = true;
            timersAtNs = Deadlines.after(now, TIMER_NS);
        }
        nextDueNs = Deadlines.after(now, Deadlines.FOREVER_NS);
        int work = 0;
        for (int i = active.size() - 1; i >= 0; i--) {
            final PartitionQueue queue = active.get(i);
            if (timers) {
                work += expire(queue);
            }
            work += send(queue) + complete(queue);
            if (queue.unlist()) {
                active.set(i, active.get(active.size() - 1));
                active.remove(active.size() - 1);
            }
        }
        if (identity.isDraining() && isUnambiguous()) {
            identity.drained();
        }
        return work;
    }

    /**
     * How long the client may sleep for all that this sender knows.
     *
     * @param now in nanoseconds
     * @return nanoseconds
     */
    long idleNs(long now) {
        return active.isEmpty() ? Deadlines.FOREVER_NS : Math.min(TIMER_NS, Deadlines.left(now, nextDueNs));
    }

    private int send(PartitionQueue queue) {
        final BrokerLink link = queue.route().find(metadata.view(), links, queue.topic(), queue.partition());
        if (link == null || !link.readyOrConnect(nowNs)) {
            metadata.refresh();
            return 0;
        }
        int sent = 0;
        final ArrayDeque<ProducerBatch> window = queue.window();
        for (ProducerBatch batch : window) {
            if (batch.state() == ProducerBatch.State.TO_SEND && maySendAgain(batch)) {
                if (!Deadlines.passed(nowNs, batch.retryAtNs()) || !link.isWritable()) {
                    return sent;
                }
                send(queue, batch, link);
                sent++;
            }
        }
        while (window.size() < PartitionQueue.WINDOW_MAX && identity.isReady() && link.isWritable()) {
            final ProducerBatch batch = queue.take(nowNs - lingerNow());
            if (batch == null) {
                noteLinger(queue);
                return sent;
            }
            stamp(queue, batch);
            window.addLast(batch);
            send(queue, batch, link);
            sent++;
        }
        return sent;
    }

    private long lingerNow() {
        return flushers.get() > 0 || pool.hasWaiters() ? 0 : lingerNs;
    }

    private void noteLinger(PartitionQueue queue) {
        if (lingerNs > 0) {
            final long dueNs = Deadlines.after(queue.openSinceNs(nextDueNs), lingerNs);
            if (nextDueNs - dueNs > 0) {
                nextDueNs = dueNs;
            }
        }
    }

    private boolean maySendAgain(ProducerBatch batch) {
        return identity.isReady() || (identity.isDraining() && batch.maybeStored());
    }

    private void stamp(PartitionQueue queue, ProducerBatch batch) {
        final InitProducerIdCall.Granted granted = identity.granted();
        final int sequence = identity.isIdempotent() ? queue.takeSequences(identity.term(), batch.recordCount()) : -1;
        batch.stamp(granted.producerId(), granted.producerEpoch(), sequence);
    }

    private void restamp() {
        for (PartitionQueue queue : active) {
            for (ProducerBatch batch : queue.window()) {
                if (batch.state() == ProducerBatch.State.TO_SEND) {
                    stamp(queue, batch);
                }
            }
        }
    }

    private void send(PartitionQueue queue, ProducerBatch batch, BrokerLink link) {
        final UUID topicId = queue.route().topicId();
        if (topicId == null) {
            throw new IllegalStateException("leader known without topic: topic=" + queue.topic());
        }
        final long correlationId = link.nextCorrelationId();
        // Less than we wait, so that the broker's "not in time" comes before we give the connection up.
        final long leftNs = Math.min(requestTimeoutNs / 4 * 3, Deadlines.left(nowNs, batch.deadlineNs()));
        writer.produceRequest()
                .correlationId(correlationId)
                .topicIdHigh(topicId.getMostSignificantBits())
                .topicIdLow(topicId.getLeastSignificantBits())
                .partition(queue.partition())
                .leaderEpoch(-1)
                .acks(config.acks().code())
                .timeoutMs((int) Math.max(1, Math.min(Integer.MAX_VALUE, leftNs / 1_000_000L)));
        final long attempt = batch.markSent();
        final ReplyHandler handler = config.acks() == Acks.NONE ? null : new Attempt(queue, batch, attempt);
        link.request(
                correlationId,
                writer,
                batch.buffer(),
                batch.length(),
                Deadlines.after(nowNs, requestTimeoutNs),
                handler);
        if (handler == null) {
            batch.succeed(RecordPosition.NO_OFFSET);
        }
    }

    private int expire(PartitionQueue queue) {
        int work = 0;
        ProducerBatch expired;
        final boolean isGone = metadata.isGone(queue.topic());
        if (isGone) {
            // Somebody may have created it anew.
            metadata.refresh();
        }
        do {
            for (ProducerBatch batch : queue.window()) {
                final boolean isOver = Deadlines.passed(nowNs, batch.deadlineNs())
                        || (isGone && batch.state() == ProducerBatch.State.TO_SEND);
                if (batch.state() != ProducerBatch.State.DONE && isOver) {
                    giveUp(queue, batch);
                }
            }
            work += complete(queue);
            // Later batches expire later, so those in the window keep the ones behind it waiting.
            expired = queue.window().size() < PartitionQueue.WINDOW_MAX ? queue.takeExpired(nowNs, isGone) : null;
            if (expired != null) {
                queue.window().addLast(expired);
            }
        } while (expired != null);
        return work;
    }

    private void giveUp(PartitionQueue queue, ProducerBatch batch) {
        final boolean open = batch.maybeStored() || batch.state() == ProducerBatch.State.IN_FLIGHT;
        final String where = "topic=" + queue.topic() + ", partition=" + queue.partition() + ", records="
                + batch.recordCount() + ", deliveryTimeout=" + config.deliveryTimeout() + ", lastFailure="
                + (batch.lastFailure().isEmpty() ? failureOfRoute(queue) : batch.lastFailure());
        if (!open && metadata.isGone(queue.topic())) {
            batch.fail(new UnknownTopicException("not stored, the topic is not there any more: " + where));
        } else if (!open && batch.lastCode() == ErrorCode.NOT_ENOUGH_REPLICAS) {
            batch.fail(new NotEnoughReplicasException("not stored, too few replicas were in sync: " + where));
        } else if (open) {
            batch.fail(new DeliveryTimeoutException("outcome unknown, no answer in time: " + where));
        } else {
            batch.fail(new DeliveryTimeoutException("not stored in time: " + where));
        }
        gap(batch);
    }

    private String failureOfRoute(PartitionQueue queue) {
        final BrokerLink link = queue.route().find(metadata.view(), links, queue.topic(), queue.partition());
        return link == null ? "the partition has no live leader" : link.address() + ": " + link.lastFailure();
    }

    /** A batch that had sequences and is not known to be stored leaves a gap that only a new epoch can close. */
    private void gap(ProducerBatch batch) {
        if (batch.baseSequence() >= 0) {
            identity.raiseEpoch(false);
        }
    }

    private int complete(PartitionQueue queue) {
        final ArrayDeque<ProducerBatch> window = queue.window();
        int records = 0;
        ProducerBatch first = window.peekFirst();
        while (first != null && first.state() == ProducerBatch.State.DONE) {
            settled.add(window.removeFirst());
            records += first.recordCount();
            first = window.peekFirst();
        }
        if (settled.isEmpty()) {
            return 0;
        }
        final int count = settled.size();
        for (int i = 0; i < count; i++) {
            settled.get(i).complete(queue.topic(), queue.partition());
            pool.giveBack(settled.get(i));
        }
        settled.clear();
        queue.completed(records);
        onCompleted.run();
        return count;
    }

    private boolean isUnambiguous() {
        for (PartitionQueue queue : active) {
            for (ProducerBatch batch : queue.window()) {
                if (batch.state() == ProducerBatch.State.IN_FLIGHT
                        || (batch.state() == ProducerBatch.State.TO_SEND && batch.maybeStored())) {
                    return false;
                }
            }
        }
        return true;
    }

    /**
     * Fails everything that is not settled, and refuses more.
     *
     * @param queues all of the producer
     * @param failure why
     */
    void failAll(Iterable<PartitionQueue> queues, TidemarkException failure) {
        for (PartitionQueue queue : queues) {
            queue.close();
            final ArrayDeque<ProducerBatch> window = queue.window();
            ProducerBatch batch = queue.take(nowNs + Deadlines.FOREVER_NS);
            while (batch != null) {
                window.addLast(batch);
                batch = queue.take(nowNs + Deadlines.FOREVER_NS);
            }
            for (ProducerBatch left : window) {
                if (left.state() != ProducerBatch.State.DONE) {
                    left.fail(failure);
                }
            }
            complete(queue);
        }
        active.clear();
        pool.close();
    }

    private void onReply(PartitionQueue queue, ProducerBatch batch, Frame frame) {
        final ProduceReplyDecoder reply =
                reader.produceReply(frame.buffer(), frame.headerIndex(), frame.headerLength());
        final ErrorCode code = ErrorCode.of(reply.code());
        final long baseOffset = reply.baseOffset();
        switch (ReplyKind.of(code)) {
            case STORED -> batch.succeed(baseOffset);
            case RETRY_NOT_STORED -> retry(batch, code, reply.message(), false);
            case RETRY_MAYBE_STORED -> retry(batch, code, reply.message(), true);
            case SEQUENCE -> onSequenceRefused(queue, batch, code, reply.message());
            case REFUSED -> {
                batch.fail(new TidemarkException(
                        code,
                        "refused by the broker: topic=" + queue.topic() + ", partition=" + queue.partition() + ", code="
                                + code + ", text=" + (reply.message().isEmpty() ? code.text() : reply.message()),
                        null));
                gap(batch);
            }
        }
    }

    private void retry(ProducerBatch batch, ErrorCode code, String text, boolean stored) {
        batch.retry(
                code,
                code + ": " + (text.isEmpty() ? code.text() : text),
                stored,
                Deadlines.after(nowNs, pauseAfter(batch, code)));
        metadata.refresh();
    }

    /** A new leader is found within moments; replicas may be missing for long, so that those tries get rarer. */
    private long pauseAfter(ProducerBatch batch, ErrorCode code) {
        if (code != ErrorCode.NOT_ENOUGH_REPLICAS) {
            return RETRY_PAUSE_NS;
        }
        return Math.max(RETRY_PAUSE_NS, Math.min(RETRY_PAUSE_MAX_NS, (nowNs - batch.createdNs()) / AGE_PER_PAUSE));
    }

    private void onSequenceRefused(PartitionQueue queue, ProducerBatch batch, ErrorCode code, String text) {
        final boolean known = code == ErrorCode.OUT_OF_ORDER_SEQUENCE;
        if (known) {
            // The broker knows the producer's last batches, and this one is not among them.
            batch.clearMaybeStored();
        }
        if (isFirstUnsettled(queue, batch) || identity.isDraining()) {
            if (batch.maybeStored()) {
                batch.fail(new DeliveryTimeoutException("outcome unknown, the broker has forgotten the producer: topic="
                        + queue.topic() + ", partition=" + queue.partition() + ", records=" + batch.recordCount()
                        + ", code=" + code));
            }
            identity.raiseEpoch(code == ErrorCode.STALE_PRODUCER_EPOCH);
        }
        if (batch.state() != ProducerBatch.State.DONE) {
            retry(batch, code, text, false);
        }
    }

    private static boolean isFirstUnsettled(PartitionQueue queue, ProducerBatch batch) {
        for (ProducerBatch earlier : queue.window()) {
            if (earlier == batch) {
                return true;
            }
            if (earlier.state() != ProducerBatch.State.DONE) {
                return false;
            }
        }
        return true;
    }

    /** One send of a batch, waiting for its reply. */
    private final class Attempt implements ReplyHandler {
        private final PartitionQueue queue;
        private final ProducerBatch batch;
        private final long attempt;

        Attempt(PartitionQueue queue, ProducerBatch batch, long attempt) {
            this.queue = queue;
            this.batch = batch;
            this.attempt = attempt;
        }

        @Override
        public void onReply(Frame frame) {
            if (batch.isAwaiting(attempt)) {
                Sender.this.onReply(queue, batch, frame);
            }
        }

        @Override
        public void onLost(String why) {
            if (batch.isAwaiting(attempt)) {
                batch.retry(ErrorCode.REQUEST_TIMED_OUT, why, true, nowNs);
                metadata.refresh();
            }
        }
    }

    /** What a code means for the batch that it answers. */
    private enum ReplyKind {
        STORED,
        RETRY_NOT_STORED,
        RETRY_MAYBE_STORED,
        SEQUENCE,
        REFUSED;

        static ReplyKind of(ErrorCode code) {
            return switch (code) {
                case NONE, DUPLICATE_SEQUENCE -> STORED;
                case UNKNOWN_TOPIC, STALE_EPOCH, UNKNOWN_EPOCH, NOT_ENOUGH_REPLICAS, CORRUPT_BATCH, BACK_PRESSURE ->
                    RETRY_NOT_STORED;
                case NOT_LEADER, REQUEST_TIMED_OUT, STORAGE_ERROR, COORDINATION_LOST, BROKER_CLOSING ->
                    RETRY_MAYBE_STORED;
                case OUT_OF_ORDER_SEQUENCE, UNKNOWN_PRODUCER, STALE_PRODUCER_EPOCH -> SEQUENCE;
                case NOT_REPLICA,
                        DIVERGED,
                        OFFSET_OUT_OF_RANGE,
                        OFFSET_NOT_AVAILABLE,
                        BATCH_TOO_LARGE,
                        NOT_CONTROLLER,
                        STALE_CONTROLLER_EPOCH,
                        TOPIC_EXISTS,
                        INVALID_REQUEST,
                        INVALID_FETCH_SESSION,
                        UNSUPPORTED_VERSION,
                        WRONG_CLUSTER,
                        INTERNAL,
                        REPLICAS_NOT_READY,
                        NO_CHANGE -> REFUSED;
            };
        }
    }
}
