package io.tidemark.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A partition's state record as the oracle reads it out of the store.
 *
 * @param assignment ids of the replicas
 * @param leader who leads
 * @param leaderEpoch number of its term
 * @param partitionEpoch number of the record
 * @param isr in-sync members
 * @param elr eligible former members
 * @param minIsr effective minimum
 * @param controllerEpoch term of the controller that wrote last
 */
record SeenRecord(
        List<Integer> assignment,
        Member leader,
        int leaderEpoch,
        int partitionEpoch,
        List<Member> isr,
        List<Member> elr,
        int minIsr,
        long controllerEpoch) {
    /** A broker in one of its lives. */
    record Member(int broker, long incarnation) {
        @Override
        public String toString() {
            return broker + "@" + incarnation;
        }
    }

    static SeenRecord parse(String json) {
        Map<String, Object> object = Json.object(json);
        List<Integer> assignment = new ArrayList<>();
        for (Object broker : Json.list(object, "assignment")) {
            assignment.add(((Long) broker).intValue());
        }
        return new SeenRecord(
                assignment,
                member(object.get("leader")),
                (int) Json.number(object, "leaderEpoch"),
                (int) Json.number(object, "partitionEpoch"),
                members(Json.list(object, "isr")),
                members(Json.list(object, "elr")),
                (int) Math.min(Json.number(object, "minIsr"), assignment.size()),
                Json.number(object, "controllerEpoch"));
    }

    private static List<Member> members(List<?> list) {
        List<Member> members = new ArrayList<>();
        list.forEach(one -> members.add(member(one)));
        return members;
    }

    private static Member member(@Nullable Object one) {
        if (one instanceof Map<?, ?> object
                && object.get("broker") instanceof Long broker
                && object.get("incarnation") instanceof Long incarnation) {
            return new Member(broker.intValue(), incarnation);
        }
        return new Member(-1, -1);
    }

    /** Under which incarnation a broker is in a list, -1 if it is not. */
    static long incarnationIn(List<Member> members, int broker) {
        for (Member member : members) {
            if (member.broker() == broker) {
                return member.incarnation();
            }
        }
        return -1;
    }

    @Override
    public String toString() {
        return "leader=" + leader + " epoch=" + leaderEpoch + "/" + partitionEpoch + " isr=" + isr + " elr=" + elr;
    }
}
