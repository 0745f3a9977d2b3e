package io.tidemark.coordination.etcd;

import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RangeResponse;
import io.grpc.Status;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Listing;
import io.tidemark.coordination.ReadMode;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Reads. A local read is answered by the member alone; if that member lags behind what this client has seen before, it
 * is asked again with the others. Owned by the loop.
 */
final class EtcdReads {
    private final EtcdContext context;
    private final EtcdRequests requests;

    /**
     * Prepares to read.
     *
     * @param context what the parts of a client share
     * @param requests sends
     */
    EtcdReads(EtcdContext context, EtcdRequests requests) {
        this.context = context;
        this.requests = requests;
    }

    /**
     * Reads one key.
     *
     * @param call the call
     * @param key the key
     * @param mode how fresh the answer must be
     */
    void get(EtcdCall<Optional<Entry>> call, Key key, ReadMode mode) {
        if (key.isRoot()) {
            call.settle(Optional.empty());
            return;
        }
        SubtreeReader.Selection one =
                new SubtreeReader.Selection(context.keys().only(key), entry -> true, KeyRange::justAfter);
        read(call, one, mode, listing -> call.settle(listing.entries().stream().findFirst()));
    }

    /**
     * Reads the entries directly below a directory.
     *
     * @param call the call
     * @param dir the directory
     * @param mode how fresh the answer must be
     */
    void list(EtcdCall<Listing> call, Key dir, ReadMode mode) {
        SubtreeReader.Selection children = new SubtreeReader.Selection(
                context.keys().below(dir),
                entry -> entry.key().parent().equals(dir),
                last -> context.keys().afterChild(dir, last));
        read(call, children, mode, call::settle);
    }

    private <T> void read(
            EtcdCall<T> call, SubtreeReader.Selection selection, ReadMode mode, Consumer<Listing> onRead) {
        new SubtreeReader(
                        context.keys(),
                        selection,
                        (request, onPage) -> page(call, request, onPage, () -> read(call, selection, mode, onRead)),
                        onRead)
                .read(mode == ReadMode.LOCAL);
    }

    private void page(EtcdCall<?> call, RangeRequest request, Consumer<RangeResponse> onPage, Runnable anew) {
        requests.send(call, KVGrpc.getRangeMethod(), request, new EtcdRequests.Receiver<>() {
            @Override
            public void onAnswer(RangeResponse answer, long sentNs) {
                long revision = answer.getHeader().getRevision();
                if (call.isOver()) {
                    return;
                }
                if (revision < context.revisionSeen() && request.getSerializable()) {
                    RangeRequest fresh =
                            request.toBuilder().setSerializable(false).build();
                    page(call, fresh, onPage, anew);
                } else {
                    context.saw(revision);
                    onPage.accept(answer);
                }
            }

            @Override
            public boolean onRefused(Status status) {
                // The revision of the first page was compacted meanwhile.
                if (EtcdErrors.isCompacted(status) && request.getRevision() > 0 && !call.isOver()) {
                    anew.run();
                    return true;
                }
                return false;
            }
        });
    }
}
