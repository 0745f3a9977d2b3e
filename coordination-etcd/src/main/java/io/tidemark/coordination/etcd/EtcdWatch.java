package io.tidemark.coordination.etcd;

import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.WatchCreateRequest;
import io.etcd.jetcd.api.WatchGrpc;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.Status;
import io.tidemark.coordination.Change;
import io.tidemark.coordination.ConnectionLostException;
import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.Listing;
import io.tidemark.coordination.spi.WatchFeed;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Follows one subtree: reads all of it at some revision, then follows the stream of changes from the next revision on.
 * Whatever ends the stream (a lost connection, a compaction, a member without a leader) is a gap: all is read anew.
 * etcd sends all changes of a transaction in one message. Owned by the loop.
 */
final class EtcdWatch implements EtcdConnection.Listener {
    private static final long PAUSE_NS_MIN = 20_000_000L;
    private static final long PAUSE_NS_MAX = 1_000_000_000L;

    private final EtcdContext context;
    private final EtcdConnection connection;
    private final WatchFeed feed;
    private final KeyRange range;
    private @Nullable EtcdRequest stream;
    /** Counts beginnings, so that answers to an old one are known. */
    private long generation;

    private long pauseNs;
    private boolean snapshotGiven;
    private boolean closed;

    /**
     * Prepares to follow.
     *
     * @param context what the parts of a client share
     * @param connection where to read and follow
     * @param feed is given what is seen
     */
    EtcdWatch(EtcdContext context, EtcdConnection connection, WatchFeed feed) {
        this.context = context;
        this.connection = connection;
        this.feed = feed;
        this.range = context.keys().subtree(feed.dir());
    }

    /** {@return what is fed} */
    WatchFeed feed() {
        return feed;
    }

    @Override
    public void onUp(EtcdChannel channel) {
        begin(channel);
    }

    private void begin(EtcdChannel channel) {
        endStream();
        long mine = generation;
        SubtreeReader.Selection all =
                new SubtreeReader.Selection(range, entry -> feed.covers(entry.key()), KeyRange::justAfter);
        new SubtreeReader(
                        context.keys(),
                        all,
                        (request, onPage) -> page(channel, mine, request, onPage),
                        listing -> follow(channel, mine, listing))
                .read(false);
    }

    private void endStream() {
        generation++;
        EtcdRequest running = stream;
        stream = null;
        if (running != null) {
            running.cancel();
        }
    }

    private boolean isCurrent(long mine) {
        return mine == generation && !closed;
    }

    private void page(EtcdChannel channel, long mine, RangeRequest request, Consumer<RangeResponse> onPage) {
        channel.ask(KVGrpc.getRangeMethod(), request, context.timeoutNs(), reply -> {
            if (!isCurrent(mine)) {
                return;
            }
            RangeResponse answer = reply.value();
            if (reply.outcome() == EtcdReply.Outcome.OK && answer != null) {
                onPage.accept(answer);
            } else {
                failed(channel, reply.status());
            }
        });
    }

    private void follow(EtcdChannel channel, long mine, Listing listing) {
        context.saw(listing.revision());
        snapshotGiven = true;
        feed.snapshot(listing);
        WatchCreateRequest create = WatchCreateRequest.newBuilder()
                .setKey(range.from())
                .setRangeEnd(range.to())
                .setStartRevision(listing.revision() + 1)
                .build();
        WatchRequest request =
                WatchRequest.newBuilder().setCreateRequest(create).build();
        stream = channel.open(WatchGrpc.getWatchMethod(), request, new EtcdChannel.Receiver<>() {
            @Override
            public void onAnswer(WatchResponse answer) {
                if (isCurrent(mine)) {
                    received(channel, answer);
                }
            }

            @Override
            public void onEnd(Status status) {
                if (isCurrent(mine)) {
                    failed(channel, status);
                }
            }
        });
    }

    private void received(EtcdChannel channel, WatchResponse answer) {
        if (answer.getCanceled()) {
            Status status =
                    answer.getCancelReason().contains("permission denied") ? Status.PERMISSION_DENIED : Status.ABORTED;
            failed(
                    channel,
                    status.withDescription("the member ended the watch: reason=" + answer.getCancelReason()
                            + ", compactedRevision=" + answer.getCompactRevision()));
            return;
        }
        if (answer.getEventsCount() == 0) {
            return;
        }
        pauseNs = 0;
        List<Change> changes = new ArrayList<>();
        long revision = 0;
        for (Event event : answer.getEventsList()) {
            revision = Math.max(revision, event.getKv().getModRevision());
            change(event, changes);
        }
        context.saw(revision);
        feed.changes(changes, revision);
    }

    private void change(Event event, List<Change> changes) {
        if (event.getType() == Event.EventType.DELETE) {
            context.keys()
                    .key(event.getKv().getKey())
                    .ifPresent(key ->
                            changes.add(new Change.Deleted(key, event.getKv().getModRevision())));
        } else {
            context.keys().entry(event.getKv()).ifPresent(entry -> changes.add(new Change.Put(entry)));
        }
    }

    private void failed(EtcdChannel channel, Status status) {
        endStream();
        if (EtcdErrors.isDenied(status)) {
            refuse(EtcdErrors.refused(
                    status, "watch dir=" + feed.dir(), context.address().servers()));
            return;
        }
        degraded(new ConnectionLostException("watch on etcd was interrupted, all is read anew: dir=" + feed.dir()
                + ", why=" + EtcdErrors.verdict(status) + ", servers="
                + context.address().servers()));
        if (status.getCode() == Status.Code.UNAVAILABLE || EtcdErrors.isStaleToken(status)) {
            connection.lost(channel, EtcdErrors.verdict(status));
        }
        pauseNs = Math.max(PAUSE_NS_MIN, Math.min(PAUSE_NS_MAX, pauseNs * 2));
        long mine = generation;
        context.loop().scheduleNs(pauseNs, () -> {
            // If the connection is down, or was down meanwhile, its return begins anew.
            if (isCurrent(mine)) {
                connection.ifUp().ifPresent(this::begin);
            }
        });
    }

    private void degraded(ConnectionLostException cause) {
        if (snapshotGiven && !closed) {
            feed.degraded(cause);
        }
    }

    @Override
    public void onDown(ConnectionLostException cause) {
        endStream();
        degraded(cause);
    }

    @Override
    public void onDenied(CoordinationException cause) {
        refuse(cause);
    }

    private void refuse(CoordinationException cause) {
        if (!closed) {
            close();
            feed.refuse(cause);
        }
    }

    /** Stops to follow. */
    void close() {
        closed = true;
        endStream();
        connection.remove(this);
    }
}
