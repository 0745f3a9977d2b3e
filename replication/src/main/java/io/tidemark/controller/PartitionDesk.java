package io.tidemark.controller;

import io.tidemark.controller.PartitionResult.Outcome;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The part of a {@link ControllerCore} that keeps wishes about single partitions until each has ended, and answers the
 * request when the last one has. Whether a wish can be met is decided anew on every record that comes meanwhile, so
 * that it is written from the version that it was decided on.
 */
final class PartitionDesk {
    private final ControllerDecisions out;
    private final Map<PartitionId, Wish> wishes = new HashMap<>();

    /** What one request still waits for. */
    private static final class Request {
        private final long requestId;
        private final boolean isTerse;
        private final List<PartitionResult> results = new ArrayList<>();
        private int open;

        private Request(long requestId, boolean isTerse) {
            this.requestId = requestId;
            this.isTerse = isTerse;
        }
    }

    /** A wish about one partition. */
    private static final class Wish {
        private final Request request;
        private final PartitionChanges.Kind kind;
        private final PartitionChanges.Target target;
        private @Nullable PartitionState written;

        private Wish(Request request, PartitionChanges.Kind kind, PartitionChanges.Target target) {
            this.request = request;
            this.kind = kind;
            this.target = target;
        }
    }

    /**
     * Begins without wishes.
     *
     * @param out receiver of answers
     */
    PartitionDesk(ControllerDecisions out) {
        this.out = out;
    }

    /**
     * Takes a request.
     *
     * @param requestId the request
     * @param changes what is wished
     * @param topics the known topics
     * @return the partitions on which a decision is due now
     */
    List<PartitionId> open(long requestId, PartitionChanges changes, TopicDesk topics) {
        // Who asks for everything wants to hear of what was done, not of what was so before.
        boolean isTerse = changes.targets().isEmpty();
        Request request = new Request(requestId, isTerse);
        List<PartitionId> due = new ArrayList<>();
        // Held open until all are entered, so that it is not answered between two of them.
        request.open = 1;
        if (changes.targets().size() > PartitionChanges.TARGETS_MAX) {
            out.reply(
                    requestId,
                    new AdminResult.Refused("too many partitions in one request: partitions="
                            + changes.targets().size() + "; name at most " + PartitionChanges.TARGETS_MAX));
            return due;
        }
        List<PartitionChanges.Target> targets = isTerse ? topics.everything() : changes.targets();
        for (PartitionChanges.Target target : targets) {
            TopicState topic = topics.find(target.topic());
            if (topic == null) {
                end(request, target, Outcome.UNKNOWN, TopicCreation.unknownMessage(target.topic()));
            } else if (target.partition() == PartitionChanges.ALL_PARTITIONS) {
                for (int i = 0; i < topic.partitions(); i++) {
                    enter(request, changes.kind(), topic, target, i, due);
                }
            } else if (target.partition() < 0 || target.partition() >= topic.partitions()) {
                end(
                        request,
                        target,
                        Outcome.UNKNOWN,
                        "unknown partition: topic=" + target.topic() + ", partition=" + target.partition()
                                + ", partitions=" + topic.partitions());
            } else {
                enter(request, changes.kind(), topic, target, target.partition(), due);
            }
        }
        request.open--;
        answerWhenDone(request);
        return due;
    }

    private void enter(
            Request request,
            PartitionChanges.Kind kind,
            TopicState topic,
            PartitionChanges.Target target,
            int partition,
            List<PartitionId> due) {
        PartitionChanges.Target one = new PartitionChanges.Target(topic.name(), partition, target.brokers());
        PartitionId id = new PartitionId(topic.topicId(), partition);
        if (wishes.containsKey(id)) {
            end(
                    request,
                    one,
                    Outcome.BUSY,
                    "another change of the partition is under way: partition=" + name(one) + "; try again");
            return;
        }
        wishes.put(id, new Wish(request, kind, one));
        request.open++;
        due.add(id);
    }

    /**
     * Decides on the wish about a partition, if there is one. A wish that cannot be met, or is met already, ends here.
     *
     * @param id the partition
     * @param state its record as it is now
     * @param living all registered brokers by id that are not proven dead
     * @return the record to write; null if there is none
     */
    @Nullable
    PartitionState decide(PartitionId id, PartitionState state, Map<Integer, BrokerRegistration> living) {
        Wish wish = wishes.get(id);
        if (wish == null) {
            return null;
        }
        String name = name(wish.target);
        Ruling ruling = switch (wish.kind) {
            case REASSIGN -> PartitionReassignment.start(name, state, wish.target.brokers(), living);
            case CANCEL_REASSIGNMENT -> PartitionReassignment.cancel(name, state, living);
            case ELECT_PREFERRED -> LeaderSelector.preferred(name, state, living);
            case ELECT_UNCLEAN -> LeaderSelector.unclean(name, state, living);
        };
        PartitionState next = ruling.next();
        if (next != null) {
            wish.written = next;
            return next;
        }
        // A write whose outcome was unknown has landed, or another writer had the same wish.
        boolean isMet = wish.written != null && ruling.outcome() == Outcome.NO_CHANGE;
        end(id, wish, isMet ? Outcome.DONE : ruling.outcome(), isMet ? "" : ruling.message());
        return null;
    }

    /**
     * Whether a partition has a wish.
     *
     * @param id the partition
     * @return true from the request to its end
     */
    boolean isWished(PartitionId id) {
        return wishes.containsKey(id);
    }

    /**
     * Takes the news that a record is stored.
     *
     * @param id the partition
     * @param epoch the controller's term that was put into it
     * @param state the record
     */
    void stored(PartitionId id, long epoch, PartitionState state) {
        Wish wish = wishes.get(id);
        if (wish != null
                && wish.written != null
                && wish.written.withControllerEpoch(epoch).equals(state)) {
            end(id, wish, Outcome.DONE, "");
        }
    }

    /**
     * Ends the wish about a partition that is no more.
     *
     * @param id the partition
     */
    void forget(PartitionId id) {
        Wish wish = wishes.get(id);
        if (wish != null) {
            end(id, wish, Outcome.UNKNOWN, TopicCreation.unknownMessage(wish.target.topic()));
        }
    }

    private void end(PartitionId id, Wish wish, Outcome outcome, String message) {
        wishes.remove(id);
        end(wish.request, wish.target, outcome, message);
        wish.request.open--;
        answerWhenDone(wish.request);
    }

    private static void end(Request request, PartitionChanges.Target target, Outcome outcome, String message) {
        if (!request.isTerse || outcome != Outcome.NO_CHANGE) {
            request.results.add(new PartitionResult(target.topic(), target.partition(), outcome, message));
        }
    }

    private void answerWhenDone(Request request) {
        if (request.open == 0) {
            request.results.sort(
                    Comparator.comparing(PartitionResult::topic).thenComparingInt(PartitionResult::partition));
            out.reply(request.requestId, new AdminResult.Partitions(List.copyOf(request.results)));
        }
    }

    private static String name(PartitionChanges.Target target) {
        return target.topic() + "-" + target.partition();
    }
}
