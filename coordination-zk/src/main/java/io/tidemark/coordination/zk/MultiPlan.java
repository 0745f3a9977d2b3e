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
 * <p>The creation of an entry becomes two operations: an empty node is created, then given its data. So entries have
 * versions from 1 on while directories stay at 0, and no check of an entry ever holds for a directory in its place.
 * Where an empty directory is in the way, its deletion comes before.
 */
final class MultiPlan {
    /** No operation of the transaction. */
    static final int NO_OP = -1;

    private static final int ANY_VERSION = -1;
    private static final int FIRST_VERSION = 0;
    private static final byte[] NO_DATA = {};

    private final Txn txn;
    private final ZkPaths paths;
    private final ZkAcl acl;
    private final Set<Integer> replaced = new HashSet<>();
    /** For each of ZooKeeper's operations, the index of the one it belongs to. */
    private final List<Integer> owners = new ArrayList<>();

    /**
     * Plans a transaction.
     *
     * @param txn the transaction
     * @param paths turns keys into paths
     * @param acl who may do what with new entries
     */
    MultiPlan(Txn txn, ZkPaths paths, ZkAcl acl) {
        this.txn = txn;
        this.paths = paths;
        this.acl = acl;
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
        owners.clear();
        List<Op> ops = new ArrayList<>();
        for (int i = 0; i < txn.ops().size(); i++) {
            addOps(ops, i);
            while (owners.size() < ops.size()) {
                owners.add(i);
            }
        }
        return ops;
    }

    private void addOps(List<Op> ops, int index) {
        TxnOp op = txn.ops().get(index);
        String path = paths.path(op.key());
        switch (op.kind()) {
            case CREATE, CREATE_EPHEMERAL -> {
                if (replaced.contains(index)) {
                    ops.add(Op.delete(path, ANY_VERSION));
                }
                CreateMode mode = op.kind() == TxnOp.Kind.CREATE ? CreateMode.PERSISTENT : CreateMode.EPHEMERAL;
                ops.add(Op.create(path, NO_DATA, acl.entry(), mode));
                ops.add(Op.setData(path, op.value(), FIRST_VERSION));
            }
            case UPDATE -> ops.add(Op.setData(path, op.value(), nodeVersion(op.expected())));
            case DELETE -> ops.add(Op.delete(path, nodeVersion(op.expected())));
            case CHECK -> ops.add(Op.check(path, nodeVersion(op.expected())));
        }
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
        for (int i = 0; i < results.size() && i < owners.size(); i++) {
            if (results.get(i) instanceof OpResult.ErrorResult error && error.getErr() != Code.OK.intValue()) {
                return owners.get(i);
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
        for (int i = 0; i < txn.ops().size(); i++) {
            TxnOp op = txn.ops().get(i);
            boolean writes = op.kind() != TxnOp.Kind.DELETE && op.kind() != TxnOp.Kind.CHECK;
            versions.add(writes ? written(results.get(owners.lastIndexOf(i))) : op.expected());
        }
        return new TxnResult.Committed(revision, versions);
    }

    private static Version written(OpResult result) {
        if (result instanceof OpResult.SetDataResult set) {
            return NodeReader.version(set.getStat());
        }
        throw new IllegalStateException("ZooKeeper answered a write with something else: result=" + result);
    }
}
