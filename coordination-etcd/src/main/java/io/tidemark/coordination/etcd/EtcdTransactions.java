package io.tidemark.coordination.etcd;

import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.TxnResponse;
import io.grpc.Status;
import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.TooLargeException;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnResult;
import java.util.List;
import java.util.Optional;

/**
 * Commits transactions. Sent again only after a member has said that nothing was applied, and only the conditions were
 * put in another way. Owned by the loop.
 */
final class EtcdTransactions {
    private static final int ATTEMPTS_MAX = 16;

    private final EtcdContext context;
    private final EtcdRequests requests;

    /**
     * Prepares to commit.
     *
     * @param context what the parts of a client share
     * @param requests sends
     */
    EtcdTransactions(EtcdContext context, EtcdRequests requests) {
        this.context = context;
        this.requests = requests;
    }

    /**
     * Commits a transaction.
     *
     * @param call the call
     * @param txn the transaction
     * @param owners the sessions of its ephemeral keys
     */
    void commit(EtcdCall<TxnResult> call, Txn txn, List<EtcdSession> owners) {
        new Attempts(call, txn, owners).next();
    }

    /** One transaction, until a member has decided it. */
    private final class Attempts implements EtcdRequests.Receiver<TxnResponse> {
        private final EtcdCall<TxnResult> call;
        private final List<EtcdSession> owners;
        private final TxnPlan plan;
        private int attempts;

        Attempts(EtcdCall<TxnResult> call, Txn txn, List<EtcdSession> owners) {
            this.call = call;
            this.owners = owners;
            this.plan = new TxnPlan(txn, context.keys());
        }

        void next() {
            Optional<EtcdSession> ended =
                    owners.stream().filter(owner -> owner.state().isFinal()).findFirst();
            if (ended.isPresent()) {
                call.fail(ended.get().endedException());
                return;
            }
            attempts++;
            if (attempts > ATTEMPTS_MAX) {
                call.fail(new CoordinationException("keys beside those of a transaction came again and again:"
                        + " attempts=" + ATTEMPTS_MAX + ", txn=" + call + "; nothing was applied"));
                return;
            }
            try {
                requests.send(call, KVGrpc.getTxnMethod(), plan.request(), this);
            } catch (TooLargeException tooLarge) {
                call.fail(tooLarge);
            }
        }

        @Override
        public void onAnswer(TxnResponse answer, long sentNs) {
            context.saw(answer.getHeader().getRevision());
            // A process that stalled past a deadline learns that first, then that it had succeeded before.
            owners.forEach(EtcdSession::expireIfPastDeadline);
            Optional<TxnResult> decided = plan.decide(answer);
            if (decided.isPresent()) {
                call.settle(decided.get());
            } else if (!call.isOver()) {
                next();
            }
        }

        @Override
        public boolean onRefused(Status status) {
            if (!EtcdErrors.isLeaseGone(status) || owners.isEmpty()) {
                return false;
            }
            if (owners.size() == 1) {
                owners.get(0).expiredAtServer();
            }
            call.fail(owners.get(0).endedException());
            return true;
        }
    }
}
