package io.tidemark.sim;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** What must hold of every stored state record, and of every step from one to the next (I-14, I-15, C-01). */
final class RecordRules {
    private RecordRules() {}

    static void checkShape(int partition, SeenRecord record) {
        Set<Integer> isr = new HashSet<>();
        record.isr().forEach(member -> isr.add(member.broker()));
        Set<Integer> elr = new HashSet<>();
        record.elr().forEach(member -> elr.add(member.broker()));
        boolean leaderFits = record.leader().broker() < 0 || record.isr().contains(record.leader());
        boolean assigned =
                record.assignment().containsAll(isr) && record.assignment().containsAll(elr);
        boolean distinct =
                isr.size() == record.isr().size() && elr.size() == record.elr().size();
        boolean disjoint = isr.stream().noneMatch(elr::contains);
        boolean elrFits = elr.isEmpty() || isr.size() < record.minIsr();
        if (!leaderFits || !assigned || !distinct || !disjoint || !elrFits) {
            throw new SimViolation("I-14", "a stored record is malformed: partition=" + partition + ", " + record);
        }
    }

    static void checkStep(
            int partition,
            SeenRecord before,
            SeenRecord next,
            Map<Integer, SeenBroker> registered,
            Sometimes sometimes) {
        String where = "partition=" + partition + ", before=[" + before + "], next=[" + next + "]";
        if (next.partitionEpoch() != before.partitionEpoch() + 1
                || next.leaderEpoch() < before.leaderEpoch()
                || next.leaderEpoch() > before.leaderEpoch() + 1) {
            throw new SimViolation("I-14", "epochs do not go on: " + where);
        }
        if (next.controllerEpoch() < before.controllerEpoch()) {
            throw new SimViolation("C-01", "a deposed controller wrote: " + where);
        }
        boolean leaderChanged = !next.leader().equals(before.leader());
        if (leaderChanged != (next.leaderEpoch() > before.leaderEpoch())) {
            throw new SimViolation("I-05", "leader and epoch do not change together: " + where);
        }
        if (leaderChanged) {
            checkElection(before, next, registered, where, sometimes);
        } else {
            checkIsrChange(before, next, registered, where, sometimes);
        }
        checkEligibleKept(before, next, where);
    }

    private static void checkElection(
            SeenRecord before,
            SeenRecord next,
            Map<Integer, SeenBroker> registered,
            String where,
            Sometimes sometimes) {
        int leader = next.leader().broker();
        if (leader < 0) {
            return;
        }
        long inIsr = SeenRecord.incarnationIn(before.isr(), leader);
        long inElr = SeenRecord.incarnationIn(before.elr(), leader);
        long entry = Math.max(inIsr, inElr);
        SeenBroker life = registered.get(leader);
        if (entry < 0) {
            throw new SimViolation("I-17", "a leader from outside ISR and ELR: " + where);
        }
        if (life != null && life.incarnation() == next.leader().incarnation() && entry < life.intactSince()) {
            throw new SimViolation("I-12", "a leader that may have lost records: registration=" + life + ", " + where);
        }
        for (SeenRecord.Member member : next.isr()) {
            if (!member.equals(next.leader()) && !before.isr().contains(member)) {
                throw new SimViolation("I-15", "an election let " + member + " into the ISR: " + where);
            }
        }
        sometimes.reached("leader changed");
        if (inElr >= 0) {
            sometimes.reached("eligible leader elected");
        }
        if (leader == before.leader().broker()) {
            sometimes.reached("leader restarted and elected again");
        }
    }

    private static void checkIsrChange(
            SeenRecord before,
            SeenRecord next,
            Map<Integer, SeenBroker> registered,
            String where,
            Sometimes sometimes) {
        for (SeenRecord.Member member : next.isr()) {
            if (before.isr().contains(member)) {
                continue;
            }
            sometimes.reached("ISR grew");
            SeenBroker life = registered.get(member.broker());
            if (life == null || !life.running() || life.incarnation() != member.incarnation()) {
                throw new SimViolation("I-15", member + " joined the ISR, but is registered as " + life + ": " + where);
            }
        }
        if (next.isr().size() < before.isr().size()) {
            sometimes.reached("ISR shrank");
        }
    }

    /** Who leaves below minISR stays eligible, as those do who were, until the ISR has its minimum again. */
    private static void checkEligibleKept(SeenRecord before, SeenRecord next, String where) {
        if (next.isr().size() >= next.minIsr()) {
            return;
        }
        Set<Integer> kept = new HashSet<>();
        next.isr().forEach(member -> kept.add(member.broker()));
        next.elr().forEach(member -> kept.add(member.broker()));
        for (SeenRecord.Member member : before.isr()) {
            if (!kept.contains(member.broker())) {
                throw new SimViolation("I-02", member + " left the ISR below minISR and is not eligible: " + where);
            }
        }
        for (SeenRecord.Member member : before.elr()) {
            if (!kept.contains(member.broker())) {
                throw new SimViolation("I-02", member + " is not eligible any more: " + where);
            }
        }
    }
}
