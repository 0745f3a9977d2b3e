package io.tidemark.partition;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The state record of a partition: the one truth about who holds it, who leads it and who is in sync, changed only by
 * conditional writes.
 *
 * <p>Rules that every record keeps, checked on construction:
 *
 * <ul>
 *   <li>The assignment is not empty, names no broker twice, and its first broker is the preferred leader.
 *   <li>The leader, if there is one, is in the ISR.
 *   <li>Every member of ISR and ELR is in the assignment or being added; ISR and ELR share no broker.
 *   <li>While a reassignment is under way, its target has those of the assignment that stay, and those that are added.
 *   <li>The ELR is empty when the ISR has {@link #effectiveMinIsr()} members or more.
 * </ul>
 *
 * <p>{@code partitionEpoch} is raised by one in every write, {@code leaderEpoch} with every change of the leader or of
 * its incarnation. Immutable.
 *
 * <p>Source: KIP-497 (partition epoch), KIP-903 (incarnations), KIP-966 (eligible leader replicas), KIP-455 (adding and
 * removing).
 *
 * @param assignment ids of the brokers that hold the partition, the preferred leader first
 * @param adding ids of brokers that a reassignment adds
 * @param removing ids of brokers that a reassignment removes
 * @param leader the leader, {@link Replica#NONE} if there is none
 * @param leaderEpoch term of the leader, from 0
 * @param partitionEpoch number of writes of this record, from 0
 * @param isr in-sync replicas
 * @param elr eligible leader replicas: they left the ISR while it was below its minimum, and hold all that is committed
 * @param minIsr wanted minimum of in-sync replicas, at least 1
 * @param durability when a copy counts
 * @param controllerEpoch term of the controller that wrote last, from 0
 * @param target ids of the brokers that hold the partition after the reassignment under way, the preferred leader
 *     first; empty if none is under way
 */
public record PartitionState(
        List<Integer> assignment,
        List<Integer> adding,
        List<Integer> removing,
        Replica leader,
        int leaderEpoch,
        int partitionEpoch,
        List<Replica> isr,
        List<Replica> elr,
        int minIsr,
        Durability durability,
        long controllerEpoch,
        List<Integer> target) {
    /**
     * Checks the rules above and copies the lists.
     *
     * @param assignment ids of the brokers that hold the partition
     * @param adding ids of brokers that a reassignment adds
     * @param removing ids of brokers that a reassignment removes
     * @param leader the leader
     * @param leaderEpoch term of the leader
     * @param partitionEpoch number of writes of this record
     * @param isr in-sync replicas
     * @param elr eligible leader replicas
     * @param minIsr wanted minimum of in-sync replicas
     * @param durability when a copy counts
     * @param controllerEpoch term of the controller that wrote last
     * @param target ids of the brokers that hold the partition in the end
     * @throws IllegalArgumentException if a rule is broken; the message names it
     */
    public PartitionState {
        assignment = List.copyOf(assignment);
        adding = List.copyOf(adding);
        removing = List.copyOf(removing);
        target = List.copyOf(target);
        isr = List.copyOf(isr);
        elr = List.copyOf(elr);
        checkBrokers("assignment", assignment);
        checkBrokers("adding", adding);
        checkBrokers("removing", removing);
        check(!assignment.isEmpty(), "the assignment must not be empty: assignment=[]");
        check(minIsr >= 1, "minIsr must be at least 1: minIsr=" + minIsr);
        check(
                leaderEpoch >= 0 && partitionEpoch >= 0 && controllerEpoch >= 0,
                "epochs must not be negative: leaderEpoch=" + leaderEpoch + ", partitionEpoch=" + partitionEpoch
                        + ", controllerEpoch=" + controllerEpoch);
        Set<Integer> holders = new HashSet<>(assignment);
        holders.addAll(adding);
        check(
                holders.containsAll(removing),
                "a broker that is removed must hold the partition: removing=" + removing + ", assignment="
                        + assignment);
        checkTarget(assignment, adding, removing, target);
        checkMembers("isr", isr, holders);
        checkMembers("elr", elr, holders);
        check(
                leader.isNone() || isr.contains(leader),
                "the leader must be in the ISR: leader=" + leader + ", isr=" + isr);
        checkElr(isr, elr, Math.min(minIsr, assignment.size()));
    }

    /**
     * The record of a new partition: epoch 0, nobody eligible outside the ISR, the given ISR led by its first member.
     *
     * @param assignment ids of the brokers that hold the partition
     * @param isr in-sync replicas, not empty; the first one leads
     * @param minIsr wanted minimum of in-sync replicas
     * @param durability when a copy counts
     * @param controllerEpoch term of the controller that creates it
     * @return the record
     * @throws IllegalArgumentException if a rule of the record is broken
     */
    public static PartitionState initial(
            List<Integer> assignment, List<Replica> isr, int minIsr, Durability durability, long controllerEpoch) {
        check(!isr.isEmpty(), "a new partition needs a live replica: isr=[], assignment=" + assignment);
        return new PartitionState(
                assignment,
                List.of(),
                List.of(),
                isr.get(0),
                0,
                0,
                isr,
                List.of(),
                minIsr,
                durability,
                controllerEpoch,
                List.of());
    }

    /**
     * The minimum of in-sync replicas that can be asked of this assignment.
     *
     * @return the smaller of {@code minIsr} and the number of assigned brokers
     */
    public int effectiveMinIsr() {
        return Math.min(minIsr, assignment.size());
    }

    /**
     * Tells whether the ISR has its minimum, without which nothing is committed.
     *
     * @return true if it has
     */
    public boolean hasMinIsr() {
        return isr.size() >= effectiveMinIsr();
    }

    /**
     * Tells whether this very incarnation is in sync.
     *
     * @param broker id of the broker
     * @param incarnation its registration number
     * @return true if the ISR has this pair
     */
    public boolean isInIsr(int broker, long incarnation) {
        return incarnationIn(isr, broker) == incarnation && incarnation >= 0;
    }

    /**
     * The incarnation under which a broker is in the ISR.
     *
     * @param broker id of the broker
     * @return its incarnation, -1 if the broker is not in the ISR
     */
    public long isrIncarnation(int broker) {
        return incarnationIn(isr, broker);
    }

    /**
     * The incarnation under which a broker is in the ELR.
     *
     * @param broker id of the broker
     * @return its incarnation, -1 if the broker is not in the ELR
     */
    public long elrIncarnation(int broker) {
        return incarnationIn(elr, broker);
    }

    /**
     * Tells whether a broker has or gets a copy.
     *
     * @param broker id of the broker
     * @return true if it is assigned or being added
     */
    public boolean isReplica(int broker) {
        return assignment.contains(broker) || adding.contains(broker);
    }

    /**
     * Tells whether this record was written after another one of the same partition.
     *
     * @param other the other record
     * @return true if (leaderEpoch, partitionEpoch) is greater
     */
    public boolean isNewerThan(PartitionState other) {
        return leaderEpoch != other.leaderEpoch
                ? leaderEpoch > other.leaderEpoch
                : partitionEpoch > other.partitionEpoch;
    }

    /**
     * The next record with another ISR, as its leader writes it.
     *
     * @param newIsr in-sync replicas, with the leader
     * @param newElr eligible leader replicas
     * @return the record, its partition epoch raised by one
     * @throws IllegalArgumentException if a rule of the record is broken
     */
    public PartitionState withIsr(List<Replica> newIsr, List<Replica> newElr) {
        return new PartitionState(
                assignment,
                adding,
                removing,
                leader,
                leaderEpoch,
                partitionEpoch + 1,
                newIsr,
                newElr,
                minIsr,
                durability,
                controllerEpoch,
                target);
    }

    /**
     * The next record with a new leader: both epochs raised by one.
     *
     * @param newLeader the leader
     * @param newIsr in-sync replicas, with the leader
     * @param newElr eligible leader replicas
     * @return the record
     * @throws IllegalArgumentException if a rule of the record is broken
     */
    public PartitionState withLeader(Replica newLeader, List<Replica> newIsr, List<Replica> newElr) {
        return new PartitionState(
                assignment,
                adding,
                removing,
                newLeader,
                leaderEpoch + 1,
                partitionEpoch + 1,
                newIsr,
                newElr,
                minIsr,
                durability,
                controllerEpoch,
                target);
    }

    /**
     * The same record in the name of a controller's term. Epochs of the partition stay.
     *
     * @param epoch the controller's epoch
     * @return the record
     */
    public PartitionState withControllerEpoch(long epoch) {
        return new PartitionState(
                assignment,
                adding,
                removing,
                leader,
                leaderEpoch,
                partitionEpoch,
                isr,
                elr,
                minIsr,
                durability,
                epoch,
                target);
    }

    /**
     * Whether a reassignment is under way.
     *
     * @return true from its start to its switch or cancel
     */
    public boolean isReassigning() {
        return !target.isEmpty();
    }

    /**
     * The next record with other replicas. Members of ISR and ELR that hold the partition no more are dropped.
     *
     * @param newAssignment ids of the brokers that hold the partition
     * @param newTarget ids of the brokers that are to hold it in the end; empty if those of the assignment are
     * @param newLeader the leader, which must be in the ISR; another one than now raises the leader epoch
     * @return the record, its partition epoch raised by one
     * @throws IllegalArgumentException if a rule of the record is broken
     */
    public PartitionState withReplicas(List<Integer> newAssignment, List<Integer> newTarget, Replica newLeader) {
        List<Integer> added = newTarget.stream()
                .filter(broker -> !newAssignment.contains(broker))
                .toList();
        List<Integer> removed = newTarget.isEmpty()
                ? List.of()
                : newAssignment.stream()
                        .filter(broker -> !newTarget.contains(broker))
                        .toList();
        Set<Integer> holders = new HashSet<>(newAssignment);
        holders.addAll(added);
        List<Replica> newIsr =
                isr.stream().filter(member -> holders.contains(member.broker())).toList();
        List<Replica> newElr = newIsr.size() >= Math.min(minIsr, newAssignment.size())
                ? List.of()
                : elr.stream()
                        .filter(member -> holders.contains(member.broker()))
                        .toList();
        return new PartitionState(
                newAssignment,
                added,
                removed,
                newLeader,
                newLeader.equals(leader) ? leaderEpoch : leaderEpoch + 1,
                partitionEpoch + 1,
                newIsr,
                newElr,
                minIsr,
                durability,
                controllerEpoch,
                newTarget);
    }

    /**
     * The target that follows from what is added and removed: what stays in its order, then what is added.
     *
     * @param assignment ids of the brokers that hold the partition
     * @param adding ids of brokers that a reassignment adds
     * @param removing ids of brokers that a reassignment removes
     * @return ids of the brokers that hold the partition in the end; empty if none is added or removed
     */
    public static List<Integer> targetOf(List<Integer> assignment, List<Integer> adding, List<Integer> removing) {
        if (adding.isEmpty() && removing.isEmpty()) {
            return List.of();
        }
        Set<Integer> target = new LinkedHashSet<>(assignment);
        target.addAll(adding);
        removing.forEach(target::remove);
        return List.copyOf(target);
    }

    private static void checkTarget(
            List<Integer> assignment, List<Integer> adding, List<Integer> removing, List<Integer> target) {
        checkBrokers("target", target);
        check(
                new HashSet<>(target).equals(new HashSet<>(targetOf(assignment, adding, removing))),
                "the target must be what stays and what is added: target=" + target + ", assignment=" + assignment
                        + ", adding=" + adding + ", removing=" + removing);
    }

    /**
     * The record with another minimum of in-sync replicas. What is eligible beside the ISR is so only while the ISR is
     * below its minimum.
     *
     * @param newMinIsr wanted minimum, at least 1
     * @return the next record, in the same leader epoch
     */
    public PartitionState withMinIsr(int newMinIsr) {
        boolean isEnough = isr.size() >= Math.min(newMinIsr, assignment.size());
        return new PartitionState(
                assignment,
                adding,
                removing,
                leader,
                leaderEpoch,
                partitionEpoch + 1,
                isr,
                isEnough ? List.of() : elr,
                newMinIsr,
                durability,
                controllerEpoch,
                target);
    }

    private static long incarnationIn(List<Replica> members, int broker) {
        for (int i = 0; i < members.size(); i++) {
            Replica member = members.get(i);
            if (member.broker() == broker) {
                return member.incarnation();
            }
        }
        return -1;
    }

    private static void checkBrokers(String name, List<Integer> brokers) {
        Set<Integer> seen = new HashSet<>();
        for (int broker : brokers) {
            check(broker >= 0, "broker ids must not be negative: " + name + "=" + brokers);
            check(seen.add(broker), "a broker is named twice: " + name + "=" + brokers);
        }
    }

    private static void checkMembers(String name, List<Replica> members, Set<Integer> holders) {
        Set<Integer> seen = new HashSet<>();
        for (Replica member : members) {
            check(seen.add(member.broker()), "a broker is named twice: " + name + "=" + members);
            check(
                    holders.contains(member.broker()),
                    "a member must hold the partition: " + name + "=" + members + ", holders=" + holders);
        }
    }

    private static void checkElr(List<Replica> isr, List<Replica> elr, int effectiveMinIsr) {
        for (Replica member : elr) {
            check(
                    incarnationIn(isr, member.broker()) < 0,
                    "a broker is in both ISR and ELR: isr=" + isr + ", elr=" + elr);
        }
        check(
                elr.isEmpty() || isr.size() < effectiveMinIsr,
                "the ELR must be empty when the ISR has its minimum: isr=" + isr + ", elr=" + elr + ", effectiveMinIsr="
                        + effectiveMinIsr);
    }

    private static void check(boolean ok, String rule) {
        if (!ok) {
            throw new IllegalArgumentException("invalid partition state: " + rule);
        }
    }
}
