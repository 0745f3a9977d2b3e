package io.tidemark.coordination.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.TooLargeException;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnOp;
import io.tidemark.coordination.TxnResult;
import io.tidemark.coordination.Version;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A transaction in etcd's terms, and the way back from its answer. Pure; not thread-safe.
 *
 * <p>All conditions become comparisons: a version is compared with the revision of the key's last write, and a new key
 * needs empty ranges: the key itself, all below it, and each key above it, since a key that holds a value has no
 * children. If a comparison fails, etcd reads instead what was compared, in the same moment, and so tells which
 * condition failed.
 */
final class TxnPlan {
    /** What etcd takes unless its operator set another number. */
    static final int CONDITIONS_MAX = 128;

    private static final int KEYS_SHOWN_MAX = 128;
    /** No key has this revision. */
    private static final long NEVER = Long.MAX_VALUE;

    private final Txn txn;
    private final EtcdKeys keys;
    private final Absences absences;
    private final int versionConditions;
    private List<KeyRange> empty = List.of();

    /**
     * Plans a transaction.
     *
     * @param txn the transaction
     * @param keys turns keys into etcd's
     */
    TxnPlan(Txn txn, EtcdKeys keys) {
        this.txn = txn;
        this.keys = keys;
        Set<KeyRange> ranges = new LinkedHashSet<>();
        int versions = 0;
        for (TxnOp op : txn.ops()) {
            if (creates(op)) {
                addAbsences(op.key(), ranges);
            } else {
                versions++;
            }
        }
        this.absences = new Absences(ranges);
        this.versionConditions = versions;
    }

    private void addAbsences(Key key, Set<KeyRange> ranges) {
        ranges.add(keys.only(key));
        ranges.add(keys.below(key));
        for (Key above = key.parent(); !above.isRoot(); above = above.parent()) {
            ranges.add(keys.only(above));
        }
    }

    private static boolean creates(TxnOp op) {
        return op.kind() == TxnOp.Kind.CREATE || op.kind() == TxnOp.Kind.CREATE_EPHEMERAL;
    }

    /**
     * Makes the request.
     *
     * @return what to send
     * @throws TooLargeException if it needs more conditions than etcd takes
     */
    TxnRequest request() {
        empty = absences.atMost(CONDITIONS_MAX - versionConditions);
        if (empty.size() + versionConditions > CONDITIONS_MAX) {
            throw new TooLargeException("transaction needs more conditions than etcd takes: count="
                    + (empty.size() + versionConditions) + ", max=" + CONDITIONS_MAX + ", txn=" + txn
                    + "; create keys of fewer directories at once");
        }
        TxnRequest.Builder request = TxnRequest.newBuilder();
        for (TxnOp op : txn.ops()) {
            if (!creates(op)) {
                ByteString key = keys.bytes(op.key());
                request.addCompare(versionIs(key, op.expected()));
                request.addFailure(show(KeyRange.ofKey(key)));
            }
            apply(op).ifPresent(request::addSuccess);
        }
        for (KeyRange range : empty) {
            request.addCompare(isEmpty(range));
            request.addFailure(show(range));
        }
        return request.build();
    }

    private static Compare versionIs(ByteString key, Version expected) {
        // An absent key compares as revision 0, which must not match whatever the caller holds.
        long revision = expected.casToken() > 0 ? expected.casToken() : NEVER;
        return Compare.newBuilder()
                .setKey(key)
                .setTarget(Compare.CompareTarget.MOD)
                .setResult(Compare.CompareResult.EQUAL)
                .setModRevision(revision)
                .build();
    }

    /** Holds if no key of the range exists: each one that does has a revision of its creation. */
    private static Compare isEmpty(KeyRange range) {
        return Compare.newBuilder()
                .setKey(range.from())
                .setRangeEnd(range.to())
                .setTarget(Compare.CompareTarget.CREATE)
                .setResult(Compare.CompareResult.EQUAL)
                .setCreateRevision(0)
                .build();
    }

    private static RequestOp show(KeyRange range) {
        return RequestOp.newBuilder()
                .setRequestRange(RangeRequest.newBuilder()
                        .setKey(range.from())
                        .setRangeEnd(range.to())
                        .setKeysOnly(true)
                        .setLimit(KEYS_SHOWN_MAX))
                .build();
    }

    private Optional<RequestOp> apply(TxnOp op) {
        ByteString key = keys.bytes(op.key());
        RequestOp.Builder request = RequestOp.newBuilder();
        switch (op.kind()) {
            case CREATE -> request.setRequestPut(put(key, op));
            case CREATE_EPHEMERAL ->
                request.setRequestPut(put(key, op).setLease(op.session().id()));
            case UPDATE -> request.setRequestPut(put(key, op).setIgnoreLease(true));
            case DELETE ->
                request.setRequestDeleteRange(DeleteRangeRequest.newBuilder().setKey(key));
            case CHECK -> {
                return Optional.empty();
            }
        }
        return Optional.of(request.build());
    }

    private static PutRequest.Builder put(ByteString key, TxnOp op) {
        return PutRequest.newBuilder().setKey(key).setValue(ByteString.copyFrom(op.value()));
    }

    /**
     * Reads the answer.
     *
     * @param answer what etcd answered to the last {@link #request}
     * @return the result; empty if only ranges that were joined were not empty: then nothing was applied, and the next
     *     request will be another
     */
    Optional<TxnResult> decide(TxnResponse answer) {
        long revision = answer.getHeader().getRevision();
        if (answer.getSucceeded()) {
            List<Version> versions = new ArrayList<>();
            for (TxnOp op : txn.ops()) {
                versions.add(versionAfter(op, revision));
            }
            return Optional.of(new TxnResult.Committed(revision, versions));
        }
        Existing existing = new Existing(answer);
        absences.learn(existing.keys.keySet());
        return existing.isComplete() ? existing.firstConflict() : Optional.empty();
    }

    private static Version versionAfter(TxnOp op, long revision) {
        return switch (op.kind()) {
            case CREATE, CREATE_EPHEMERAL -> new Version(revision, revision, revision);
            case UPDATE -> new Version(op.expected().createRevision(), revision, revision);
            case DELETE, CHECK -> op.expected();
        };
    }

    /** What the answer to a transaction that was not applied shows of the keys it is about. */
    private final class Existing {
        private final TreeMap<ByteString, Long> keys = new TreeMap<>(ByteString.unsignedLexicographicalComparator());
        private final Map<KeyRange, Boolean> cutShort = new HashMap<>();

        Existing(TxnResponse answer) {
            for (int i = 0; i < answer.getResponsesCount(); i++) {
                RangeResponse shown = answer.getResponses(i).getResponseRange();
                for (KeyValue key : shown.getKvsList()) {
                    keys.put(key.getKey(), key.getModRevision());
                }
                if (i >= versionConditions) {
                    cutShort.put(empty.get(i - versionConditions), shown.getMore());
                }
            }
        }

        /** Whether no condition of its own hides behind too many keys of a range that was joined. */
        boolean isComplete() {
            return cutShort.entrySet().stream()
                    .noneMatch(range -> range.getValue() && !absences.isExact(range.getKey()));
        }

        Optional<TxnResult> firstConflict() {
            for (int i = 0; i < txn.ops().size(); i++) {
                TxnResult.Kind kind = conflict(txn.ops().get(i));
                if (kind != null) {
                    return Optional.of(new TxnResult.Conflict(i, kind));
                }
            }
            return Optional.empty();
        }

        private TxnResult.@Nullable Kind conflict(TxnOp op) {
            Long revision = keys.get(TxnPlan.this.keys.bytes(op.key()));
            if (creates(op)) {
                if (revision != null) {
                    return TxnResult.Kind.EXISTS;
                }
                return hasKeysBelowOrAbove(op.key()) ? TxnResult.Kind.NOT_A_LEAF : null;
            }
            if (revision == null) {
                return TxnResult.Kind.ABSENT;
            }
            return revision == op.expected().casToken() ? null : TxnResult.Kind.VERSION;
        }

        private boolean hasKeysBelowOrAbove(Key key) {
            KeyRange below = TxnPlan.this.keys.below(key);
            ByteString first = keys.ceilingKey(below.from());
            if (first != null && below.holds(first)) {
                return true;
            }
            for (Key above = key.parent(); !above.isRoot(); above = above.parent()) {
                if (keys.containsKey(TxnPlan.this.keys.bytes(above))) {
                    return true;
                }
            }
            return false;
        }
    }
}
