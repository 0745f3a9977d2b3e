package io.tidemark.wire;

import io.tidemark.wire.sbe.AdminReplyDecoder;
import io.tidemark.wire.sbe.AdminReplyEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The content of an AdminReply. Immutable.
 *
 * @param code outcome of the whole command
 * @param topicId id of the topic that was made or changed; zero if there is none
 * @param results outcome for each partition that the command named, where the operation works on partitions
 * @param message what, where and what to do; empty if there is nothing to say
 */
public record AdminAnswer(ErrorCode code, UUID topicId, List<Result> results, String message) {
    /** Stands for "no topic". */
    public static final UUID NO_TOPIC = new UUID(0, 0);

    /**
     * What became of one partition.
     *
     * @param topic its topic
     * @param partition its number, from 0
     * @param code the outcome
     * @param message what, where and what to do; empty if there is nothing to say
     */
    public record Result(String topic, int partition, ErrorCode code, String message) {}

    /**
     * Copies the list.
     *
     * @param code outcome of the whole command
     * @param topicId id of the topic
     * @param results outcome for each partition
     * @param message for people
     */
    public AdminAnswer {
        results = List.copyOf(results);
    }

    /**
     * An answer without a topic and partitions.
     *
     * @param code outcome of the whole command
     * @param message for people
     * @return the answer
     */
    public static AdminAnswer of(ErrorCode code, String message) {
        return new AdminAnswer(code, NO_TOPIC, List.of(), message);
    }

    /**
     * Writes the reply.
     *
     * @param writer to write with
     * @param correlationId of the request
     */
    public void encode(MessageWriter writer, long correlationId) {
        AdminReplyEncoder reply = writer.adminReply()
                .correlationId(correlationId)
                .code(code.code())
                .topicIdHigh(topicId.getMostSignificantBits())
                .topicIdLow(topicId.getLeastSignificantBits());
        AdminReplyEncoder.ResultsEncoder group = reply.resultsCount(results.size());
        for (Result result : results) {
            group.next()
                    .partition(result.partition)
                    .code(result.code.code())
                    .topic(result.topic)
                    .message(result.message);
        }
        reply.message(message);
    }

    /**
     * Reads a reply.
     *
     * @param reply the checked message
     * @return everything in it but the correlation id, copied
     */
    public static AdminAnswer decode(AdminReplyDecoder reply) {
        ErrorCode code = ErrorCode.of(reply.code());
        UUID topicId = new UUID(reply.topicIdHigh(), reply.topicIdLow());
        List<Result> results = new ArrayList<>();
        for (AdminReplyDecoder.ResultsDecoder result : reply.results()) {
            int partition = result.partition();
            ErrorCode outcome = ErrorCode.of(result.code());
            String topic = result.topic();
            results.add(new Result(topic, partition, outcome, result.message()));
        }
        return new AdminAnswer(code, topicId, results, reply.message());
    }
}
