package io.tidemark.sim;

import io.tidemark.coordination.Change;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Listing;
import io.tidemark.coordination.WatchListener;
import io.tidemark.log.LogProbe;
import io.tidemark.pipeline.LaneView.ReplicaView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Judges every step: what the store, the logs, the lanes and the clients show, against a truth of its own. It reads
 * batches and records by its own hand and decides by none of the classes that it judges. The numbers of the invariants
 * are those of docs/PROTOCOL.md.
 */
final class Oracle implements SimBroker.Listener, SimClient.Listener {
    private final SimCluster cluster;
    private final Map<Integer, PartitionTruth> truths = new TreeMap<>();
    private final Map<Integer, Map<Integer, Mirror>> mirrors = new TreeMap<>();
    /** Last registration of each broker, also when it is gone. */
    private final Map<Integer, SeenBroker> known = new TreeMap<>();

    private final Map<Integer, SeenBroker> registered = new TreeMap<>();
    private final Map<Integer, String> gaveUp = new TreeMap<>();
    private final Sometimes sometimes = new Sometimes();
    private long controllerEpoch;
    private int leaderChanges;
    private int recordWrites;
    private int acksAfterChange;
    private boolean sessionsEndedEarly;

    Oracle(SimCluster cluster) {
        this.cluster = cluster;
        Coordination eyes = cluster.store()
                .connect(CoordinationConfig.builder()
                        .clientName("oracle")
                        .callbackExecutor(Runnable::run)
                        .callbackErrorHandler(this::failLater)
                        .nanoClock(cluster.world().scheduler()::nowNs)
                        .build());
        for (String directory : List.of("/brokers", "/controller_epoch")) {
            var unused = eyes.watch(Key.of(directory), new Eyes());
        }
    }

    private @Nullable SimViolation failure;

    private void failLater(Throwable thrown) {
        if (failure == null) {
            failure = thrown instanceof SimViolation violation
                    ? violation
                    : new SimViolation("ORACLE", "the oracle failed: " + thrown, thrown);
        }
    }

    /** What was found in a callback is thrown where the run is stepped. */
    void afterStep() {
        SimViolation found = failure;
        if (found != null) {
            throw found;
        }
    }

    Sometimes sometimes() {
        return sometimes;
    }

    int leaderChanges() {
        return leaderChanges;
    }

    int recordWrites() {
        return recordWrites;
    }

    Map<Integer, String> gaveUp() {
        return gaveUp;
    }

    Map<Integer, PartitionTruth> truths() {
        return truths;
    }

    PartitionTruth truth(int partition) {
        return truths.computeIfAbsent(partition, key -> new PartitionTruth(key, cluster.history()));
    }

    Mirror mirror(int broker, int partition) {
        return mirrors.computeIfAbsent(broker, key -> new TreeMap<>())
                .computeIfAbsent(partition, key -> new Mirror(broker, partition));
    }

    Map<Integer, SeenBroker> registered() {
        return registered;
    }

    /** The last registration of a broker, also if it is gone. */
    @Nullable
    SeenBroker lastLife(int broker) {
        return known.get(broker);
    }

    /** Whether a broker's disk was made to fail since it started. */
    boolean isDamaged(SimBroker broker) {
        return mirrors.getOrDefault(broker.id, Map.of()).values().stream().anyMatch(mirror -> mirror.damaged);
    }

    private void trace(String text) {
        cluster.world().trace().line(text);
    }

    // The store.

    /** Sees every change of the store at once. */
    private final class Eyes implements WatchListener {
        @Override
        public void onSnapshot(Listing state) {
            state.entries().forEach(Oracle.this::put);
        }

        @Override
        public void onChanges(List<Change> changes, long revision) {
            for (Change change : changes) {
                if (change instanceof Change.Put put) {
                    Oracle.this.put(put.entry());
                } else {
                    gone(change.key().path());
                }
            }
        }
    }

    private void put(Entry entry) {
        String path = entry.key().path();
        if (path.startsWith("/brokers/ids/")) {
            int broker = Integer.parseInt(path.substring("/brokers/ids/".length()));
            SeenBroker seen = SeenBroker.parse(entry.valueText());
            SeenBroker before = known.put(broker, seen);
            boolean leaves = before != null && registered.containsKey(broker) && seen.isDepartureOf(before);
            registered.put(broker, seen);
            trace("registered " + broker + ": " + seen);
            if (before != null && !leaves && seen.incarnation() <= before.incarnation()) {
                throw new SimViolation(
                        "K-02",
                        "an incarnation did not grow: broker=" + broker + ", before=" + before + ", now=" + seen);
            }
        } else if (path.endsWith("/state")) {
            String[] parts = path.split("/", -1);
            onRecord(truth(Integer.parseInt(parts[parts.length - 2])), SeenRecord.parse(entry.valueText()));
        } else if (path.equals("/controller_epoch")) {
            long epoch = Long.parseLong(entry.valueText().strip());
            if (epoch <= controllerEpoch) {
                throw new SimViolation("C-01", "the controller epoch went from " + controllerEpoch + " to " + epoch);
            }
            trace("controller epoch " + epoch);
            if (controllerEpoch > 0) {
                sometimes.reached("controller changed");
            }
            controllerEpoch = epoch;
        }
    }

    private void gone(String path) {
        if (path.startsWith("/brokers/ids/")) {
            int broker = Integer.parseInt(path.substring("/brokers/ids/".length()));
            registered.remove(broker);
            trace("registration of " + broker + " is gone");
        }
    }

    private void onRecord(PartitionTruth truth, SeenRecord next) {
        SeenRecord before = truth.record;
        truth.record = next;
        recordWrites++;
        trace("partition " + truth.partition + ": " + next);
        RecordRules.checkShape(truth.partition, next);
        if (next.isr().size() < next.minIsr()) {
            sometimes.reached("ISR below its minimum");
        }
        if (!next.elr().isEmpty()) {
            sometimes.reached("eligible leader replica kept");
        }
        if (before != null) {
            RecordRules.checkStep(truth.partition, before, next, registered, sometimes);
            if (!before.leader().equals(next.leader())) {
                leaderChanges++;
                checkDeposed(truth, before, next);
            }
            for (SeenRecord.Member member : next.isr()) {
                if (!before.isr().contains(member) && !member.equals(next.leader())) {
                    checkHolds(truth, member.broker(), "I-15");
                }
            }
        }
        checkCandidates(truth);
    }

    /** A leader that lives, is registered and does not leave stays, unless the preferred one takes its place. */
    private void checkDeposed(PartitionTruth truth, SeenRecord before, SeenRecord next) {
        SeenRecord.Member leader = before.leader();
        SeenBroker life = registered.get(leader.broker());
        Mirror mirror = mirror(leader.broker(), truth.partition);
        boolean lives = life != null
                && life.running()
                && life.incarnation() == leader.incarnation()
                && mirror.role.equals("LEADER")
                && mirror.incarnation == leader.incarnation()
                && !mirror.damaged;
        boolean isPreferred = next.leader().broker() == next.assignment().get(0);
        if (lives && !isPreferred && cluster.network().refusedBy(cluster.broker(leader.broker()).machine) < 2) {
            throw new SimViolation(
                    "L-11",
                    "a leader that lives was replaced: partition=" + truth.partition + ", before=[" + before
                            + "], next=[" + next + "]");
        }
    }

    /** Every member that may be elected has everything that is committed (I-02). */
    private void checkCandidates(PartitionTruth truth) {
        SeenRecord record = truth.record;
        if (record == null) {
            return;
        }
        List<SeenRecord.Member> members = new ArrayList<>(record.isr());
        members.addAll(record.elr());
        for (SeenRecord.Member member : members) {
            SeenBroker life = known.get(member.broker());
            boolean electable = life == null || member.incarnation() >= life.intactSince();
            Mirror mirror = mirror(member.broker(), truth.partition);
            if (electable && !mirror.lost && !mirror.damaged) {
                checkHolds(truth, member.broker(), "I-02");
            }
        }
    }

    private void checkHolds(PartitionTruth truth, int broker, String invariant) {
        truth.compare(mirror(broker, truth.partition), truth.committedEnd(), invariant);
    }

    // The lanes.

    @Override
    public void onLane(SimBroker broker) {
        for (ReplicaView view : broker.replicas()) {
            Mirror mirror = mirror(broker.id, view.partition());
            PartitionTruth truth = truth(view.partition());
            synchronize(truth, mirror, view);
            judge(truth, mirror, view);
        }
    }

    /** The process died within a step: what it wrote counts, what it thought does not. */
    void onCrash(SimBroker broker) {
        for (ReplicaView view : broker.replicas()) {
            Mirror mirror = mirror(broker.id, view.partition());
            if (mirror.log == view.log()) {
                mirror.damaged = true;
            }
        }
    }

    void onDied(SimBroker broker) {
        mirrors.getOrDefault(broker.id, Map.of()).values().forEach(mirror -> {
            mirror.role = "NONE";
            mirror.epoch = -1;
        });
        gaveUp.remove(broker.id);
    }

    void onPowerLost(SimBroker broker) {
        mirrors.getOrDefault(broker.id, Map.of()).values().forEach(mirror -> mirror.lost = true);
    }

    /** The service ends sessions whose time is not over. */
    void onSessionsEnded() {
        sessionsEndedEarly = true;
    }

    void onDiskFault(SimBroker broker) {
        mirrors.getOrDefault(broker.id, Map.of()).values().forEach(mirror -> mirror.damaged = true);
    }

    @Override
    public void onGaveUp(SimBroker broker, String why) {
        if (gaveUp.putIfAbsent(broker.id, why) == null) {
            trace("broker " + broker.id + " gave up: " + why);
        }
    }

    private void synchronize(PartitionTruth truth, Mirror mirror, ReplicaView view) {
        if (view.failed()) {
            mirror.damaged = true;
            return;
        }
        long truncations = LogProbe.truncations(view.log());
        if (mirror.log != view.log()) {
            reopen(truth, mirror, view);
        } else if (view.logEndOffset() < mirror.end()
                || view.logStartOffset() != mirror.start
                || (truncations != mirror.truncations && !mirror.isTailOf(view))) {
            truncate(truth, mirror, view);
        }
        mirror.truncations = truncations;
        mirror.flushed = view.log().flushedOffset();
        if (view.logEndOffset() > mirror.end()) {
            boolean leads = view.role().equals("LEADER");
            for (SeenBatch batch : Mirror.read(view, mirror.end(), view.logEndOffset())) {
                truth.link(mirror, batch);
                if (leads && mirror.role.equals("LEADER") && batch.epoch() == view.leaderEpoch()) {
                    truth.leads(batch.epoch(), broker(mirror, view));
                    checkLease(truth, mirror, view, batch);
                }
            }
        }
    }

    /**
     * A leader whose session is over takes nothing once another one may lead (K-01). Not where the service ended
     * sessions before their time: nobody can know that.
     */
    private void checkLease(PartitionTruth truth, Mirror mirror, ReplicaView view, SeenBatch batch) {
        SeenRecord record = truth.record;
        boolean isDeposed = record != null && record.leaderEpoch() > view.leaderEpoch();
        if (isDeposed && !sessionsEndedEarly && !isRegistered(mirror.broker, view.incarnation())) {
            throw new SimViolation(
                    "K-01",
                    "a leader without a session took a record after the next was elected: partition="
                            + truth.partition + ", leaderEpoch=" + view.leaderEpoch() + ", incarnation="
                            + view.incarnation() + ", batch=" + batch + ", record=" + record);
        }
    }

    private boolean isRegistered(int broker, long incarnation) {
        SeenBroker life = registered.get(broker);
        return life != null && life.incarnation() == incarnation;
    }

    private static String broker(Mirror mirror, ReplicaView view) {
        return mirror.broker + "@" + view.incarnation();
    }

    /** A process opened its log: what was there when the last one ended must be there, unless it may be lost. */
    private void reopen(PartitionTruth truth, Mirror mirror, ReplicaView view) {
        List<SeenBatch> found = Mirror.read(view, view.logStartOffset(), view.logEndOffset());
        List<SeenBatch> before = new ArrayList<>(mirror.batches);
        boolean mayLose = mirror.lost || mirror.damaged;
        if (!mayLose && mirror.log != null) {
            for (int i = 0; i < before.size(); i++) {
                if (i >= found.size() || !found.get(i).isSameAs(before.get(i))) {
                    throw new SimViolation(
                            "D-01",
                            "broker " + mirror.broker + " lost a batch by the end of its process:"
                                    + " partition=" + truth.partition + ", lost=" + before.get(i) + ", logEnd="
                                    + view.logEndOffset());
                }
            }
        }
        for (int i = 0; mirror.lost && !mirror.damaged && i < before.size(); i++) {
            SeenBatch forced = before.get(i);
            if (forced.next() <= mirror.flushed
                    && (i >= found.size() || !found.get(i).isSameAs(forced))) {
                throw new SimViolation(
                        "D-01",
                        "a failure of power took what was forced: broker=" + mirror.broker + ", partition="
                                + truth.partition + ", lost=" + forced + ", flushed=" + mirror.flushed);
            }
        }
        if (mirror.lost && found.size() < before.size()) {
            sometimes.reached("power failure lost records");
        }
        mirror.batches.clear();
        mirror.verifiedEnd = 0;
        mirror.start = view.logStartOffset();
        mirror.log = view.log();
        mirror.lost = false;
        mirror.damaged = false;
        mirror.role = "NONE";
        mirror.epoch = -1;
        mirror.highWatermark = 0;
        found.forEach(batch -> truth.link(mirror, batch));
    }

    private void truncate(PartitionTruth truth, Mirror mirror, ReplicaView view) {
        boolean keepsLeading =
                mirror.role.equals("LEADER") && view.role().equals("LEADER") && mirror.epoch == view.leaderEpoch();
        if (keepsLeading) {
            throw new SimViolation(
                    "I-09",
                    "a leader truncated: partition=" + truth.partition + ", broker=" + mirror.broker + ", from="
                            + mirror.end() + ", to=" + view.logEndOffset());
        }
        sometimes.reached("truncation");
        int lastEpoch = mirror.lastEpoch();
        int epochs = 0;
        while (!mirror.batches.isEmpty() && !mirror.isTailOf(view)) {
            SeenBatch removed = mirror.removeLast();
            if (truth.isCommitted(removed)) {
                throw new SimViolation(
                        "I-09",
                        "a committed batch was truncated: partition=" + truth.partition
                                + ", broker=" + mirror.broker + ", batch=" + removed + ", committedEnd="
                                + truth.committedEnd() + ", now=" + text(mirror, view) + ", there="
                                + Mirror.read(
                                        view,
                                        Math.min(removed.base(), view.logEndOffset()),
                                        Math.min(removed.next(), view.logEndOffset())));
            }
            if (removed.epoch() != lastEpoch) {
                lastEpoch = removed.epoch();
                epochs++;
            }
        }
        if (mirror.batches.isEmpty()) {
            mirror.start = view.logStartOffset();
        }
        if (epochs > 0) {
            sometimes.reached("truncation over two epochs");
        }
    }

    private void judge(PartitionTruth truth, Mirror mirror, ReplicaView view) {
        if (view.failed()) {
            mirror.role = "NONE";
            return;
        }
        long highWatermark = view.highWatermark();
        if (highWatermark < view.logStartOffset() || highWatermark > view.logEndOffset()) {
            throw new SimViolation("I-08", "the high watermark lies outside the log: " + text(mirror, view));
        }
        boolean leads = view.role().equals("LEADER");
        boolean entered = view.leaderEpoch() != mirror.epoch || !view.role().equals(mirror.role);
        if (leads && entered) {
            truth.leads(view.leaderEpoch(), broker(mirror, view));
            truth.compare(mirror, truth.committedEnd(), "I-01");
            trace("broker " + mirror.broker + " leads " + truth.partition + ": " + text(mirror, view));
        }
        if (leads && !entered && highWatermark < mirror.highWatermark) {
            throw new SimViolation(
                    "I-13",
                    "a leader's high watermark went back from " + mirror.highWatermark + ": " + text(mirror, view));
        }
        if (highWatermark > truth.committedEnd()) {
            // It may have been the leader at the beginning of the step, and have lost its role within it.
            if (!leads && !mirror.role.equals("LEADER")) {
                throw new SimViolation(
                        "I-08",
                        "a follower's high watermark is above every leader's: committedEnd=" + truth.committedEnd()
                                + ", " + text(mirror, view));
            }
            justify(truth, mirror, view);
            truth.commit(mirror, highWatermark);
            checkCandidates(truth);
        }
        truth.compare(mirror, highWatermark, "I-11");
        SeenRecord record = truth.record;
        if (leads && record != null && record.leaderEpoch() == view.leaderEpoch()) {
            long before = truth.show(view.endForClients());
            if (before >= 0) {
                throw new SimViolation(
                        "I-13", "the end shown to clients went back from " + before + ": " + text(mirror, view));
            }
        }
        mirror.role = view.role();
        mirror.epoch = view.leaderEpoch();
        mirror.incarnation = view.incarnation();
        mirror.highWatermark = highWatermark;
    }

    /** Whether a leader may raise its high watermark (I-08). */
    private void justify(PartitionTruth truth, Mirror mirror, ReplicaView view) {
        SeenRecord record = truth.record;
        if (record == null) {
            throw new SimViolation("I-08", "a high watermark without a record: " + text(mirror, view));
        }
        int epoch = view.role().equals("LEADER") ? view.leaderEpoch() : mirror.epoch;
        if (record.leaderEpoch() != epoch) {
            // It has not heard of its end. What it commits must be on whoever may be elected, which I-02 checks.
            return;
        }
        // It may not have heard yet that a shrinking of its own is stored; then those who left must have it as well.
        List<SeenRecord.Member> members = new ArrayList<>(record.isr());
        members.addAll(record.elr());
        if (members.size() < record.minIsr()) {
            throw new SimViolation("I-08", "committed below minISR: record=" + record + ", " + text(mirror, view));
        }
        for (SeenRecord.Member member : members) {
            Mirror other = mirror(member.broker(), truth.partition);
            SeenBroker life = known.get(member.broker());
            boolean isSameLife = life != null && life.incarnation() == member.incarnation();
            if (isSameLife && !other.lost && other.end() < view.highWatermark() && !other.damaged) {
                throw new SimViolation(
                        "I-08",
                        "committed without member " + member + ", whose log ends at " + other.end() + ": record="
                                + record + ", " + text(mirror, view));
            }
        }
    }

    private static String text(Mirror mirror, ReplicaView view) {
        return "broker=" + mirror.broker + ", partition=" + view.partition() + ", role=" + view.role() + ", epoch="
                + view.leaderEpoch() + ", logStart=" + view.logStartOffset() + ", logEnd=" + view.logEndOffset()
                + ", highWatermark=" + view.highWatermark();
    }

    // The clients.

    @Override
    public void onAcknowledged(History.Sent record) {
        if (!record.waitsForAll) {
            return;
        }
        PartitionTruth truth = truth(record.partition);
        if (record.offset < 0 ? !truth.isCommitted(record.id) : truth.idAt(record.offset) != record.id) {
            throw new SimViolation(
                    "I-18",
                    "acknowledged but not committed: " + record + ", committedEnd=" + truth.committedEnd()
                            + ", committed there=" + truth.idAt(record.offset));
        }
        if (truth.leadersSeen() > 1 && acksAfterChange++ == 0) {
            sometimes.reached("ack after a leader change");
        }
    }

    @Override
    public void onRead(SimClient client, int partition, long offset, long id) {
        PartitionTruth truth = truth(partition);
        if (offset >= truth.committedEnd()) {
            throw new SimViolation(
                    "I-10",
                    "a consumer read at or above the high watermark: partition=" + partition + ", offset=" + offset
                            + ", committedEnd=" + truth.committedEnd());
        }
        if (truth.idAt(offset) != id) {
            throw new SimViolation(
                    "I-11",
                    "a consumer read " + id + " where " + truth.idAt(offset) + " is committed: partition=" + partition
                            + ", offset=" + offset);
        }
    }

    // For people.

    /** How things stand: broker, role, epoch, log end, high watermark, ISR. */
    List<String> table() {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                "%-12s %-6s %-9s %-5s %-9s %6s %6s  %s",
                "time", "broker", "partition", "role", "epoch", "LEO", "HW", "state"));
        double now = cluster.world().scheduler().elapsedNs() / 1e9;
        for (SimBroker broker : cluster.brokers()) {
            for (Mirror mirror : mirrors.getOrDefault(broker.id, Map.of()).values()) {
                lines.add(String.format(
                        "%-12.6f %-6d %-9d %-9s %5d %6d %6d  %s",
                        now,
                        broker.id,
                        mirror.partition,
                        broker.isRunning() ? mirror.role : "dead",
                        mirror.epoch,
                        mirror.end(),
                        mirror.highWatermark,
                        (mirror.lost ? "power lost " : "") + gaveUp.getOrDefault(broker.id, "")));
            }
        }
        truths.values()
                .forEach(truth -> lines.add("partition " + truth.partition + ": committedEnd=" + truth.committedEnd()
                        + ", " + truth.record));
        lines.add("registered: " + registered);
        return lines;
    }
}
