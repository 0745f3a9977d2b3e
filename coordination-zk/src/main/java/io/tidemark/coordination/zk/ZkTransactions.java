package io.tidemark.coordination.zk;

import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnOp;
import io.tidemark.coordination.TxnResult;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.data.ACL;

/**
 * Transactions as ZooKeeper's multi. Sent again only after a server has said that nothing was applied and the reason
 * could be removed: a missing parent is made, an empty directory in the place of a new entry is replaced. Owned by the
 * loop.
 */
final class ZkTransactions {
    private static final int ATTEMPTS_MAX = 16;

    private final ZkContext context;
    private final SharedConnection shared;

    /**
     * Prepares to commit.
     *
     * @param context what the parts of a client share
     * @param shared the connection for transactions without ephemeral keys
     */
    ZkTransactions(ZkContext context, SharedConnection shared) {
        this.context = context;
        this.shared = shared;
    }

    /** The connection on which a transaction is sent. */
    interface Route {
        /**
         * Runs something with the connection.
         *
         * @param next what waits for it
         */
        void whenUp(ZkHandle.Waiting next);

        /**
         * A request came back without a server's answer.
         *
         * @param asked the client that was asked
         */
        void unanswered(RevisionClient asked);

        /**
         * A transaction was committed.
         *
         * @param revision its revision
         */
        void committed(long revision);
    }

    /** {@return the route of transactions without ephemeral keys} */
    Route sharedRoute() {
        return new Route() {
            @Override
            public void whenUp(ZkHandle.Waiting next) {
                shared.whenUp(next);
            }

            @Override
            public void unanswered(RevisionClient asked) {
                shared.unanswered(asked);
            }

            @Override
            public void committed(long revision) {
                // The same connection reads, so it cannot fall behind.
            }
        };
    }

    /**
     * Commits a transaction.
     *
     * @param call the call
     * @param txn the transaction
     * @param route the connection: that of the owner if there are ephemeral keys
     */
    void commit(ZkCall<TxnResult> call, Txn txn, Route route) {
        new Attempts(call, txn, route).start();
    }

    /** One transaction, until a server has decided it. */
    private final class Attempts implements ZkHandle.Waiting {
        private final ZkCall<TxnResult> call;
        private final Txn txn;
        private final Route route;
        private final MultiPlan plan;
        private int attempts;

        Attempts(ZkCall<TxnResult> call, Txn txn, Route route) {
            this.call = call;
            this.txn = txn;
            this.route = route;
            this.plan = new MultiPlan(txn, context.paths(), context.security().acl());
        }

        void start() {
            if (attempts >= ATTEMPTS_MAX) {
                call.fail(new CoordinationException("the directories of a transaction changed again and again:"
                        + " attempts=" + attempts + ", txn=" + txn + "; nothing was applied"));
                return;
            }
            attempts++;
            route.whenUp(this);
        }

        @Override
        public boolean isOver() {
            return call.isOver();
        }

        @Override
        public void refuse(CoordinationException cause) {
            call.fail(cause);
        }

        @Override
        public void go(RevisionClient client) {
            call.sending();
            client.multi(plan.ops(), reply -> decided(client, reply));
        }

        private void decided(RevisionClient client, Reply<List<OpResult>> reply) {
            if (!reply.isAnswered()) {
                route.unanswered(client);
                call.failUnanswered();
                return;
            }
            List<OpResult> results = reply.value();
            if (reply.isOk() && results != null) {
                route.committed(reply.revision());
                call.settle(plan.committed(reply.revision(), results));
                return;
            }
            call.refusedByServer();
            int failed = results == null ? MultiPlan.NO_OP : plan.failedOp(results);
            if (call.isOver()) {
                return;
            }
            if (failed == MultiPlan.NO_OP) {
                call.failRefused(reply.code());
            } else {
                failedAt(client, failed, reply.code());
            }
        }

        private void failedAt(RevisionClient client, int index, Code code) {
            TxnOp op = txn.ops().get(index);
            boolean creates = creates(op);
            switch (code) {
                case BADVERSION -> inspectOther(client, index);
                case NOCHILDRENFOREPHEMERALS -> conflict(index, TxnResult.Kind.NOT_A_LEAF);
                case NODEEXISTS -> inspectExisting(client, index);
                case NONODE -> {
                    if (creates) {
                        plan.keepDirectory(index);
                        createDirectories(client);
                    } else {
                        conflict(index, TxnResult.Kind.ABSENT);
                    }
                }
                case NOTEMPTY -> {
                    // A directory, which is not an entry.
                    conflict(index, creates ? TxnResult.Kind.NOT_A_LEAF : TxnResult.Kind.ABSENT);
                }
                case NOAUTH -> inspectDenied(client, index, creates);
                default -> call.failRefused(code);
            }
        }

        private void conflict(int index, TxnResult.Kind kind) {
            call.settle(new TxnResult.Conflict(index, kind));
        }

        /** The node of a new entry exists: an entry, a directory, or one that is empty and can be replaced. */
        private void inspectExisting(RevisionClient client, int index) {
            client.read(context.paths().path(txn.ops().get(index).key()), reply -> {
                ZkNode node = reply.value();
                if (node == null) {
                    gone(client, reply);
                } else if (node.isEntry()) {
                    conflict(index, TxnResult.Kind.EXISTS);
                } else if (node.stat().getNumChildren() > 0) {
                    conflict(index, TxnResult.Kind.NOT_A_LEAF);
                } else {
                    plan.replaceDirectory(index);
                    start();
                }
            });
        }

        /** The node has another version than expected: another one of the entry, or it is a directory. */
        private void inspectOther(RevisionClient client, int index) {
            client.read(context.paths().path(txn.ops().get(index).key()), reply -> {
                ZkNode node = reply.value();
                boolean absent = reply.code() == Code.NONODE || (node != null && !node.isEntry());
                conflict(index, absent ? TxnResult.Kind.ABSENT : TxnResult.Kind.VERSION);
            });
        }

        /** Access was denied: by our own list that keeps entries and directories apart, or by someone else's. */
        private void inspectDenied(RevisionClient client, int index, boolean creates) {
            Key key = txn.ops().get(index).key();
            client.read(context.paths().path(creates ? key.parent() : key), reply -> {
                ZkNode node = reply.value();
                if (node == null) {
                    gone(client, reply);
                } else if (creates && node.isEntry() && !key.parent().isRoot()) {
                    conflict(index, TxnResult.Kind.NOT_A_LEAF);
                } else if (!creates && !node.isEntry()) {
                    conflict(index, TxnResult.Kind.ABSENT);
                } else {
                    call.failRefused(Code.NOAUTH);
                }
            });
        }

        /** A node that stood in the way is gone by now, or the connection: try again. */
        private void gone(RevisionClient client, Reply<?> reply) {
            if (!reply.isAnswered()) {
                route.unanswered(client);
                start();
            } else if (reply.code() == Code.NONODE) {
                start();
            } else {
                call.failRefused(reply.code());
            }
        }

        private void createDirectories(RevisionClient client) {
            Set<String> paths = new LinkedHashSet<>();
            for (TxnOp op : txn.ops()) {
                if (creates(op)) {
                    paths.addAll(context.paths().directoriesAbove(op.key()));
                }
            }
            if (paths.isEmpty()) {
                start();
                return;
            }
            DirectoryReplies replies =
                    new DirectoryReplies(paths.size(), (path, code) -> directoriesCreated(client, path, code));
            for (String path : paths) {
                // Those of the chroot belong to the operator and stay; ours go when they are empty.
                CreateMode mode = context.paths().isChroot(path) ? CreateMode.PERSISTENT : CreateMode.CONTAINER;
                ZkAcl acl = context.security().acl();
                List<ACL> list = context.paths().isAboveChroot(path) ? acl.above() : acl.directory();
                client.createDirectory(path, list, mode, code -> replies.arrived(path, code));
            }
        }

        private void directoriesCreated(RevisionClient client, String path, Code code) {
            switch (code) {
                case OK -> start();
                case CONNECTIONLOSS, SESSIONEXPIRED -> {
                    route.unanswered(client);
                    start();
                }
                case NOAUTH -> inspectDeniedDirectory(client, path);
                case NOCHILDRENFOREPHEMERALS -> {
                    if (context.paths().isChroot(path)) {
                        call.failRefused(code);
                    } else {
                        conflict(firstBelow(path), TxnResult.Kind.NOT_A_LEAF);
                    }
                }
                default -> call.failRefused(code);
            }
        }

        /** A directory may not be made: an entry of ours is above it, or the node above it belongs to someone else. */
        private void inspectDeniedDirectory(RevisionClient client, String path) {
            String parent = path.substring(0, path.lastIndexOf('/'));
            if (parent.isEmpty()
                    || context.paths().isChroot(path)
                    || context.paths().isChroot(parent)) {
                // Those nodes hold no entry, whatever their data.
                call.failRefused(Code.NOAUTH);
                return;
            }
            client.read(parent, reply -> {
                ZkNode node = reply.value();
                if (node == null) {
                    gone(client, reply);
                } else if (node.isEntry()) {
                    conflict(firstBelow(path), TxnResult.Kind.NOT_A_LEAF);
                } else {
                    call.failRefused(Code.NOAUTH);
                }
            });
        }

        private int firstBelow(String directory) {
            for (int i = 0; i < txn.ops().size(); i++) {
                TxnOp op = txn.ops().get(i);
                if (creates(op) && context.paths().directoriesAbove(op.key()).contains(directory)) {
                    return i;
                }
            }
            throw new IllegalStateException("no operation needs this directory: path=" + directory + ", txn=" + txn);
        }
    }

    private static boolean creates(TxnOp op) {
        return op.kind() == TxnOp.Kind.CREATE || op.kind() == TxnOp.Kind.CREATE_EPHEMERAL;
    }
}
