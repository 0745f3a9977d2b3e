package io.tidemark.coordination.zk;

import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnOp;
import io.tidemark.coordination.TxnResult;
import io.tidemark.coordination.Version;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;

/**
 * A transaction in ZooKeeper's operations, and the way back from their results. Not thread-safe.
 *
 * <p>Every operation becomes one; only the creation of an entry in the place of an empty directory becomes two, the
 * deletion of the directory and the creation.
 */
final class MultiPlan {
    /** No operation of the transaction. */
    static final int NO_OP = -1;

    private static final int ANY_VERSION = -1;

    private final Txn txn;
    private final ZkPaths paths;
    private final Set<Integer> replaced = new HashSet<>();

    /**
     * Plans a transaction.
     *
     * @param txn the transaction
     * @param paths turns keys into paths
     */
    MultiPlan(Txn txn, ZkPaths paths) {
        this.txn = txn;
        this.paths = paths;
    }

    /**
     * From now on an empty directory is deleted before an entry is created in its place. If it is not empty at that
     * time, the transaction fails there.
     *
     * @param index the index of the creation
     */
    void replaceDirectory(int index) {
        replaced.add(index);
    }

    /**
     * The opposite of {@link #replaceDirectory}: the directory is gone.
     *
     * @param index the index of the creation
     */
    void keepDirectory(int index) {
        replaced.remove(index);
    }

    /** {@return the operations to send} */
    List<Op> ops() {
        List<Op> ops = new ArrayList<>();
        for (int i = 0; i < txn.ops().size(); i++) {
            TxnOp op = txn.ops().get(i);
            String path = paths.path(op.key());
            if (replaced.contains(i)) {
                ops.add(Op.delete(path, ANY_VERSION));
            }
            ops.add(
                    switch (op.kind()) {
                        case CREATE -> Op.create(path, op.value(), ZkAcl.ENTRY, CreateMode.PERSISTENT);
                        case CREATE_EPHEMERAL -> Op.create(path, op.value(), ZkAcl.ENTRY, CreateMode.EPHEMERAL);
                        case UPDATE -> Op.setData(path, op.value(), nodeVersion(op.expected()));
                        case DELETE -> Op.delete(path, nodeVersion(op.expected()));
                        case CHECK -> Op.check(path, nodeVersion(op.expected()));
                    });
        }
        return ops;
    }

    /**
     * The version of the node that a token stands for. One that no node of ours can have becomes one that never
     * matches: -1 would match any.
     */
    private static int nodeVersion(Version expected) {
        long token = expected.casToken();
        return token >= 0 && token < Integer.MAX_VALUE ? (int) token : Integer.MAX_VALUE;
    }

    /**
     * Finds the operation that failed.
     *
     * @param results the results of a failed multi
     * @return its index in the transaction, or {@link #NO_OP}
     */
    int failedOp(List<OpResult> results) {
        int result = 0;
        for (int i = 0; i < txn.ops().size(); i++) {
            int last = replaced.contains(i) ? result + 1 : result;
            for (; result <= last && result < results.size(); result++) {
                if (results.get(result) instanceof OpResult.ErrorResult error && error.getErr() != Code.OK.intValue()) {
                    return i;
                }
            }
        }
        return NO_OP;
    }

    /**
     * Makes the result of a transaction that was applied.
     *
     * @param revision its revision
     * @param results the results of the multi
     * @return the versions of all operations
     */
    TxnResult committed(long revision, List<OpResult> results) {
        List<Version> versions = new ArrayList<>();
        int result = 0;
        for (int i = 0; i < txn.ops().size(); i++) {
            if (replaced.contains(i)) {
                result++;
            }
            versions.add(newVersion(txn.ops().get(i), revision, results.get(result)));
            result++;
        }
        return new TxnResult.Committed(revision, versions);
    }

    private static Version newVersion(TxnOp op, long revision, OpResult result) {
        return switch (op.kind()) {
            case CREATE, CREATE_EPHEMERAL -> new Version(revision, revision, 0);
            case UPDATE -> {
                if (!(result instanceof OpResult.SetDataResult written)) {
                    throw new IllegalStateException("multi answered something else: op=" + op + ", result=" + result);
                }
                yield new Version(
                        written.getStat().getCzxid(),
                        written.getStat().getMzxid(),
                        written.getStat().getVersion());
            }
            case DELETE, CHECK -> op.expected();
        };
    }
}
