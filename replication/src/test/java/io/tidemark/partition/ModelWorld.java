package io.tidemark.partition;

import io.tidemark.controller.BrokerRegistration;
import io.tidemark.controller.LeaderSelector;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One partition on three brokers, small enough to try every order of events: the store with its record, registrations,
 * processes that end, fetches and writes under way. What is decided is decided by the production's classes: {@link
 * PartitionLeader} with its ISR, {@link PartitionFollower}, {@link LeaderSelector} and the rules of {@link
 * PartitionState}; this class only carries words between them.
 */
final class ModelWorld {
    static final int BROKERS = 3;
    static final long LAG_NS = 1_000;
    private static final PartitionId ID = new PartitionId(new UUID(1, 1), 0);

    /** Mistakes of the carrier, to see that the search finds what they break. */
    enum Mistake {
        NONE,
        /** A write looks at no version. */
        WRITE_WITHOUT_VERSION,
        /** A joiner may be another process by the time of the write. */
        JOINER_NOT_CHECKED,
        /** A process that starts again has the number of the one before. */
        SAME_INCARNATION,
        /** A machine that lost power says that nothing is lost. */
        LOSS_NOT_TOLD,
        /** A follower cuts its log to its high watermark when it begins. */
        TRUNCATE_TO_HIGH_WATERMARK
    }

    /** An answer to a fetch, on its way. */
    private record Answer(
            int epoch, boolean diverges, int endEpoch, long endOffset, List<MemoryLog.Entry> entries, long committed) {}

    /** A write of a leader, on its way to the store, or decided with the answer on its way back. */
    private static final class Write {
        private final Replica by;
        private final PartitionState proposed;
        private boolean isDecided;
        private boolean isStored;

        private Write(Replica by, PartitionState proposed) {
            this.by = by;
            this.proposed = proposed;
        }
    }

    /** A machine with its disk, and the process on it if there is one. */
    private static final class Node implements LeaderDecisions {
        private final int id;
        private final MemoryLog log = new MemoryLog();
        private long incarnation = 1;
        private long intactSince = 1;
        private boolean lossPossible;
        private boolean isRunning = true;
        private long highWatermark;
        private @Nullable PartitionState applied;
        private @Nullable PartitionLeader leader;
        private @Nullable PartitionFollower follower;
        private @Nullable Answer answer;
        private @Nullable Write write;
        private boolean knowsBrokers;

        private Node(int id) {
            this.id = id;
        }

        private Replica self() {
            return new Replica(id, incarnation);
        }

        @Override
        public void proposeIsr(PartitionState proposed) {
            write = new Write(self(), proposed);
        }

        @Override
        public void highWatermarkAdvanced(long offset) {
            highWatermark = offset;
        }

        private void end() {
            isRunning = false;
            applied = null;
            leader = null;
            follower = null;
            answer = null;
        }
    }

    private final Mistake mistake;
    private final List<Node> nodes = new ArrayList<>();
    private final Map<Integer, BrokerRegistration> registered = new TreeMap<>();
    private final List<MemoryLog.Entry> committed = new ArrayList<>();
    private final Map<Integer, Replica> leaders = new TreeMap<>();
    private PartitionState stored;
    private int appendsLeft;
    private int endsLeft;
    private int powerLeft;
    private long lastId;
    private long nowNs = 1_000 * LAG_NS;

    /**
     * Makes a cluster that has worked for a while.
     *
     * @param isr how many of the brokers, from the first on, are in sync; the others are eligible if that is too few
     * @param records on all replicas that are in sync
     * @param minIsr least number for a commit
     */
    ModelWorld(Mistake mistake, int isr, int records, int minIsr) {
        this.mistake = mistake;
        this.appendsLeft = 2;
        this.endsLeft = 3;
        this.powerLeft = minIsr - 1;
        List<Replica> members = new ArrayList<>();
        List<Replica> eligible = new ArrayList<>();
        for (int id = 0; id < BROKERS; id++) {
            Node node = new Node(id);
            nodes.add(node);
            register(node);
            (id < isr ? members : eligible).add(node.self());
        }
        stored = new PartitionState(
                List.of(0, 1, 2),
                List.of(),
                List.of(),
                members.get(0),
                1,
                1,
                members,
                isr < minIsr ? eligible : List.of(),
                minIsr,
                Durability.REPLICATED,
                1,
                List.of());
        for (int i = 0; i < records; i++) {
            MemoryLog.Entry entry = new MemoryLog.Entry(1, ++lastId);
            for (int id = 0; id < Math.max(isr, minIsr); id++) {
                nodes.get(id).log.append(entry);
            }
        }
        nodes.forEach(this::apply);
    }

    private void register(Node node) {
        registered.put(
                node.id,
                new BrokerRegistration(
                        node.id,
                        node.incarnation,
                        node.intactSince,
                        "h",
                        1,
                        "",
                        "",
                        BrokerRegistration.Status.RUNNING));
        nodes.forEach(other -> other.knowsBrokers = false);
    }

    /** Everything that may happen next. */
    List<String> actions() {
        List<String> all = new ArrayList<>();
        for (Node node : nodes) {
            String by = "" + node.id;
            if (!node.isRunning) {
                add(all, true, "start " + by);
                add(all, registered.containsKey(node.id), "expire " + by);
            } else {
                add(all, endsLeft > 0, "kill " + by);
                add(all, endsLeft > 0 && powerLeft > 0, "power " + by);
                PartitionState applied = node.applied;
                add(all, applied == null || stored.isNewerThan(applied), "apply " + by);
                add(all, node.leader != null && appendsLeft > 0, "append " + by);
                add(all, node.leader != null && !node.knowsBrokers, "news " + by);
                add(all, node.leader != null && !node.leader.isProposalInDoubt(), "lag " + by);
                add(all, node.follower != null, "fetch " + by);
                add(all, node.answer != null, "answer " + by);
            }
            Write write = node.write;
            add(all, write != null && !write.isDecided, "write " + by);
            add(all, write != null && write.isDecided, "told " + by);
        }
        add(all, LeaderSelector.afterBrokerChange(stored, registered).isPresent(), "elect 0");
        return all;
    }

    private static void add(List<String> all, boolean may, String action) {
        if (may) {
            all.add(action);
        }
    }

    /** Lets something happen. */
    void act(String action) {
        Node node = nodes.get(action.charAt(action.length() - 1) - '0');
        switch (action.substring(0, action.indexOf(' '))) {
            case "start" -> start(node);
            case "expire" -> {
                registered.remove(node.id);
                nodes.forEach(other -> other.knowsBrokers = false);
            }
            case "kill" -> {
                endsLeft--;
                node.end();
            }
            case "power" -> powerFails(node);
            case "apply" -> apply(node);
            case "append" -> append(node);
            case "news" -> news(node);
            case "lag" -> lag(node);
            case "fetch" -> fetch(node);
            case "answer" -> answer(node);
            case "write" -> write(node);
            case "told" -> told(node);
            default -> {
                Optional<PartitionState> next = LeaderSelector.afterBrokerChange(stored, registered);
                stored = next.orElse(stored);
            }
        }
        nodes.forEach(this::commit);
        check();
    }

    // Processes.

    private void powerFails(Node node) {
        endsLeft--;
        powerLeft--;
        node.end();
        node.lossPossible = true;
        if (node.log.end() > node.log.start()) {
            node.log.truncateTo(node.log.end() - 1);
        }
        node.highWatermark = Math.min(node.highWatermark, node.log.end());
    }

    private void start(Node node) {
        if (mistake != Mistake.SAME_INCARNATION) {
            node.incarnation++;
        }
        if (node.lossPossible && mistake != Mistake.LOSS_NOT_TOLD) {
            node.intactSince = node.incarnation;
        }
        node.lossPossible = false;
        node.isRunning = true;
        register(node);
    }

    private void apply(Node node) {
        PartitionState before = node.applied;
        node.applied = stored;
        boolean isLeader = stored.leader().equals(node.self());
        if (before != null && before.leaderEpoch() == stored.leaderEpoch() && isLeader == (node.leader != null)) {
            if (node.leader != null) {
                node.leader.onStateCommitted(stored, nowNs);
            }
            return;
        }
        node.leader = null;
        node.answer = null;
        if (isLeader) {
            lead(node);
        } else if (stored.leader().broker() != node.id) {
            follow(node);
        }
    }

    private void lead(Node node) {
        node.follower = null;
        node.log.startEpoch(stored.leaderEpoch());
        Replica other = leaders.putIfAbsent(stored.leaderEpoch(), node.self());
        require(other == null || other.equals(node.self()), "I-05", "two leaders of one epoch");
        for (int i = 0; i < committed.size(); i++) {
            require(has(node, i), "I-01", "a leader without what is committed: " + node.self());
        }
        PartitionLeader leader = new PartitionLeader(ID, node.self(), LAG_NS, node);
        node.leader = leader;
        leader.onBrokers(running(), nowNs);
        node.knowsBrokers = true;
        leader.begin(stored, node.log.start(), node.log.end(), node.highWatermark, nowNs);
        node.highWatermark = leader.highWatermark();
    }

    private void follow(Node node) {
        if (mistake == Mistake.TRUNCATE_TO_HIGH_WATERMARK) {
            node.log.truncateTo(node.highWatermark);
        }
        PartitionFollower follower = new PartitionFollower(ID);
        follower.begin(stored, node.log.start(), node.log.end(), node.highWatermark);
        node.follower = follower;
        node.highWatermark = follower.highWatermark();
    }

    private List<Replica> running() {
        return registered.values().stream()
                .map(one -> new Replica(one.broker(), one.incarnation()))
                .toList();
    }

    // Leaders.

    private static PartitionLeader leaderOf(Node node) {
        PartitionLeader leader = node.leader;
        if (leader == null) {
            throw new IllegalStateException("does not lead: broker=" + node.id);
        }
        return leader;
    }

    private void append(Node node) {
        appendsLeft--;
        PartitionLeader leader = leaderOf(node);
        node.log.append(new MemoryLog.Entry(leader.state().leaderEpoch(), ++lastId));
        leader.onLogEnd(node.log.end(), node.log.start(), nowNs);
    }

    private void news(Node node) {
        PartitionLeader leader = leaderOf(node);
        node.knowsBrokers = true;
        leader.onBrokers(running(), nowNs);
        for (Replica live : running()) {
            if (live.incarnation() > 0) {
                leader.onPeerDead(live.broker(), live.incarnation() - 1, nowNs);
            }
        }
    }

    private void lag(Node node) {
        nowNs += 2 * LAG_NS;
        leaderOf(node).tick(nowNs);
    }

    private void write(Node node) {
        Write write = node.write;
        if (write == null) {
            return;
        }
        write.isDecided = true;
        PartitionState next = write.proposed;
        boolean isExpected = next.partitionEpoch() == stored.partitionEpoch() + 1
                && next.leaderEpoch() == stored.leaderEpoch()
                && isRegistered(write.by);
        for (Replica member : next.isr()) {
            boolean joins = !stored.isr().contains(member);
            isExpected &= !joins || isRegistered(member) || mistake == Mistake.JOINER_NOT_CHECKED;
        }
        if (isExpected || mistake == Mistake.WRITE_WITHOUT_VERSION) {
            require(next.isNewerThan(stored), "I-14", "an older record was written over " + stored);
            for (Replica member : next.isr()) {
                require(stored.isr().contains(member) || isRegistered(member), "I-15", "not registered: " + member);
            }
            stored = next;
            write.isStored = true;
        }
    }

    private boolean isRegistered(Replica replica) {
        BrokerRegistration registration = registered.get(replica.broker());
        return registration != null && registration.incarnation() == replica.incarnation();
    }

    private void told(Node node) {
        Write write = node.write;
        node.write = null;
        PartitionLeader leader = node.leader;
        if (write == null
                || leader == null
                || !write.by.equals(node.self())
                || write.proposed.leaderEpoch() != leader.state().leaderEpoch()) {
            return;
        }
        if (!write.isStored) {
            leader.onIsrProposalFailed(write.proposed, nowNs);
        } else if (write.proposed.isNewerThan(leader.state())) {
            node.applied = write.proposed;
            leader.onStateCommitted(write.proposed, nowNs);
        }
    }

    // Fetches.

    private void fetch(Node node) {
        PartitionState applied = node.applied;
        if (applied == null || node.follower == null) {
            return;
        }
        node.answer = null;
        Node to = nodes.get(applied.leader().broker());
        PartitionLeader leader = to.leader;
        if (leader == null || leader.state().leaderEpoch() != applied.leaderEpoch()) {
            return;
        }
        int epoch = applied.leaderEpoch();
        long offset = node.log.end();
        int lastEpoch = node.log.lastBatchEpoch();
        if (to.log.diverges(lastEpoch, offset)) {
            EpochEnd end = to.log.endOffsetForEpoch(lastEpoch);
            node.answer = new Answer(epoch, true, end.epoch(), end.endOffset(), List.of(), leader.highWatermark());
            return;
        }
        if (leader.onFollowerFetch(node.id, node.incarnation, epoch, offset, nowNs) == FetchCheck.OK) {
            List<MemoryLog.Entry> entries = new ArrayList<>();
            for (long at = offset; at < to.log.end(); at++) {
                entries.add(to.log.at(at));
            }
            node.answer = new Answer(epoch, false, -1, -1, entries, leader.highWatermark());
        }
    }

    private static void answer(Node node) {
        Answer answer = node.answer;
        PartitionFollower follower = node.follower;
        node.answer = null;
        if (answer == null || follower == null || !follower.accepts(answer.epoch)) {
            return;
        }
        if (answer.diverges) {
            node.log.truncateTo(follower.truncationFor(answer.endEpoch, answer.endOffset, node.log));
            follower.onTruncated(node.log.start(), node.log.end());
        } else {
            answer.entries.forEach(node.log::append);
            follower.onAppended(node.log.end());
            follower.onLeaderHighWatermark(answer.committed, node.log.start());
        }
        node.highWatermark = follower.highWatermark();
    }

    // What must hold.

    private void commit(Node node) {
        PartitionLeader leader = node.leader;
        for (long at = committed.size(); leader != null && at < leader.highWatermark(); at++) {
            committed.add(node.log.at(at));
        }
    }

    private static boolean has(Node node, MemoryLog.Entry entry, long offset) {
        return offset < node.log.end() && node.log.at(offset).equals(entry);
    }

    private boolean has(Node node, int offset) {
        return has(node, committed.get(offset), offset);
    }

    private void check() {
        List<Replica> candidates = new ArrayList<>(stored.isr());
        candidates.addAll(stored.elr());
        for (Replica candidate : candidates) {
            Node node = nodes.get(candidate.broker());
            boolean mayLead = candidate.incarnation() >= node.intactSince && !node.lossPossible;
            for (int i = 0; mayLead && i < committed.size(); i++) {
                require(has(node, i), "I-02", "a candidate without what is committed: " + candidate);
            }
        }
        for (Node node : nodes) {
            require(node.highWatermark <= node.log.end(), "I-08", "a high watermark above the log of " + node.id);
            for (long at = 0; at < Math.min(node.highWatermark, committed.size()); at++) {
                require(has(node, (int) at), "I-11", "not what is committed is below the high watermark of " + node.id);
            }
            for (Node other : nodes) {
                checkMatching(node.log, other.log);
            }
        }
    }

    /** Same offset and epoch: then the same record, and the same before it (I-04). */
    private static void checkMatching(MemoryLog one, MemoryLog two) {
        boolean mustBeSame = false;
        for (long at = Math.min(one.end(), two.end()) - 1; at >= 0; at--) {
            mustBeSame |= one.at(at).epoch() == two.at(at).epoch();
            require(!mustBeSame || one.at(at).equals(two.at(at)), "I-04", "logs differ at " + at);
        }
    }

    private static void require(boolean holds, String invariant, String text) {
        if (!holds) {
            throw new Broken(invariant + ": " + text);
        }
    }

    /** What was found broken. */
    static final class Broken extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private Broken(String text) {
            super(text);
        }
    }

    /** What tells this state from another one. */
    long fingerprint() {
        return Fingerprint.of(
                nowNs, LAG_NS, nodes, registered, committed, leaders, stored, appendsLeft, endsLeft, powerLeft);
    }
}
