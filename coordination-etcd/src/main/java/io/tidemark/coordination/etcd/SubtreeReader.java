package io.tidemark.coordination.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RangeResponse;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Listing;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Reads a range in pages, all at the revision of the first, so that the whole is one moment of the store. Owned by the
 * loop; serves one read.
 */
final class SubtreeReader {
    /** Most keys of one page. */
    static final int PAGE_KEYS = 128;

    private final EtcdKeys keys;
    private final KeyRange range;
    private final Predicate<Entry> wanted;
    private final UnaryOperator<ByteString> next;
    private final BiConsumer<RangeRequest, Consumer<RangeResponse>> send;
    private final Consumer<Listing> onRead;
    private final List<Entry> entries = new ArrayList<>();
    private long revision;

    /**
     * What to read.
     *
     * @param range the keys
     * @param wanted which entries are kept
     * @param next where the next page begins, given the last key of a page
     */
    record Selection(KeyRange range, Predicate<Entry> wanted, UnaryOperator<ByteString> next) {}

    /**
     * Prepares to read.
     *
     * @param keys turns keys of etcd into entries
     * @param selection what to read
     * @param send sends a request, and gives the answer if one comes
     * @param onRead is given all entries at the end
     */
    SubtreeReader(
            EtcdKeys keys,
            Selection selection,
            BiConsumer<RangeRequest, Consumer<RangeResponse>> send,
            Consumer<Listing> onRead) {
        this.keys = keys;
        this.range = selection.range();
        this.wanted = selection.wanted();
        this.next = selection.next();
        this.send = send;
        this.onRead = onRead;
    }

    /**
     * Begins to read.
     *
     * @param serializable whether the member may answer without the others
     */
    void read(boolean serializable) {
        page(range.from(), serializable);
    }

    private void page(ByteString from, boolean serializable) {
        RangeRequest request = RangeRequest.newBuilder()
                .setKey(from)
                .setRangeEnd(range.to())
                .setLimit(PAGE_KEYS)
                .setRevision(revision)
                .setSerializable(serializable)
                .build();
        send.accept(request, this::take);
    }

    private void take(RangeResponse answer) {
        if (revision == 0) {
            revision = answer.getHeader().getRevision();
        }
        for (KeyValue shown : answer.getKvsList()) {
            keys.entry(shown).filter(wanted).ifPresent(entries::add);
        }
        if (answer.getMore() && answer.getKvsCount() > 0) {
            // With the others: a member that lags behind may not have reached the revision of the first page.
            page(next.apply(answer.getKvs(answer.getKvsCount() - 1).getKey()), false);
        } else {
            onRead.accept(new Listing(revision, entries));
        }
    }
}
