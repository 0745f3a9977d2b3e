package io.tidemark.conductor;

import io.tidemark.controller.AdminResult;
import io.tidemark.controller.TopicChange;
import io.tidemark.controller.TopicState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The requests for changes that are under way in a term, and the brokers that their answers wait for. Owned by the
 * conductor; one object per term.
 */
final class OfficeRequests {
    /** Requests that may be under way. */
    static final int REQUESTS_MAX = 256;

    private final int brokerId;
    private final Map<Long, Request> requests = new HashMap<>();
    private final ReplicaAnswers answers = new ReplicaAnswers();
    private long lastRequestId;
    private long nowNs;

    /** A request that is under way. */
    private static final class Request {
        private final Consumer<@Nullable AdminResult> reply;
        private final long deadlineNs;
        private ReplicaAnswers.@Nullable Wait wait;
        private String late = "";

        private Request(Consumer<@Nullable AdminResult> reply, long deadlineNs) {
            this.reply = reply;
            this.deadlineNs = deadlineNs;
        }
    }

    /**
     * Begins with nothing under way.
     *
     * @param brokerId this broker, which needs no message
     */
    OfficeRequests(int brokerId) {
        this.brokerId = brokerId;
    }

    /**
     * Whether one more request may be under way.
     *
     * @return false at the limit
     */
    boolean hasRoom() {
        return requests.size() < REQUESTS_MAX;
    }

    /**
     * Begins a request.
     *
     * @param reply is given the result, unless the term ends before
     * @param now the time
     * @param waitNs how long the answer may wait for brokers, 0 not to wait
     * @return its number
     */
    long begin(Consumer<@Nullable AdminResult> reply, long now, long waitNs) {
        nowNs = now;
        long requestId = ++lastRequestId;
        requests.put(requestId, new Request(reply, now + waitNs));
        return requestId;
    }

    /**
     * Has the answer to a request wait for the brokers of new replicas.
     *
     * @param requestId the request
     * @param change the new partitions, not stored yet
     */
    void awaitReplicas(long requestId, TopicChange change) {
        Request request = requests.get(requestId);
        if (request != null) {
            request.wait = answers.listen(change, brokerId);
            request.late = "the topic is stored, but not every broker with a replica has answered in the time allowed: "
                    + named(change.topic());
        }
    }

    /**
     * Has the answer to a request wait for the brokers to know of a deletion.
     *
     * @param requestId the request
     * @param topic the topic that is about to be deleted
     * @param registered brokers that are there; those that leave meanwhile are not waited for
     */
    void awaitDeletion(long requestId, TopicState topic, Set<Integer> registered) {
        Request request = requests.get(requestId);
        if (request != null) {
            Set<Integer> others = new TreeSet<>(registered);
            others.remove(brokerId);
            request.wait = answers.listen(topic.topicId(), others);
            request.late =
                    "the topic is deleted, but not every broker has answered in the time allowed: " + named(topic);
        }
    }

    private static String named(TopicState topic) {
        return "topic=" + topic.name() + ", topicId=" + topic.topicId();
    }

    /**
     * Answers a request, now or when the brokers have answered.
     *
     * @param requestId the request
     * @param result how it ended
     */
    void reply(long requestId, AdminResult result) {
        Request request = requests.get(requestId);
        if (request == null) {
            return;
        }
        ReplicaAnswers.Wait wait = request.wait;
        if (wait != null && result instanceof AdminResult.Done done && request.deadlineNs - nowNs > 0) {
            answers.await(wait, request.deadlineNs, missing -> {
                if (requests.remove(requestId) != null) {
                    request.reply.accept(missing.isEmpty() ? result : late(request, done, missing));
                }
            });
            return;
        }
        if (wait != null) {
            answers.forget(wait);
        }
        requests.remove(requestId);
        request.reply.accept(result);
    }

    private static AdminResult late(Request request, AdminResult.Done done, Set<Integer> missing) {
        return new AdminResult.Unanswered(
                done.topic(),
                request.late + ", withoutAnswer=" + missing
                        + "; they learn of it when they can be reached, check that they run");
    }

    /**
     * Takes a broker's answer.
     *
     * @param broker its id
     * @param records what it has now
     * @param deleted topics of which it knows now that they are deleted
     */
    void taken(int broker, List<VersionedRecord> records, List<UUID> deleted) {
        answers.taken(broker, records);
        answers.takenDeletions(broker, deleted);
    }

    /**
     * Takes the registered brokers.
     *
     * @param registered their ids
     */
    void brokersChanged(Set<Integer> registered) {
        answers.brokersChanged(registered);
    }

    /**
     * Answers what has waited long enough.
     *
     * @param now the time
     * @return count of things done
     */
    int tick(long now) {
        nowNs = now;
        return answers.tick(now);
    }

    /**
     * Whether an answer waits.
     *
     * @return true if so
     */
    boolean isBusy() {
        return answers.isBusy();
    }

    /**
     * Ends all requests without an answer.
     *
     * @return who waits for one
     */
    List<Consumer<@Nullable AdminResult>> close() {
        List<Consumer<@Nullable AdminResult>> unanswered =
                requests.values().stream().map(request -> request.reply).toList();
        requests.clear();
        return unanswered;
    }
}
