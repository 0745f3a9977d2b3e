package io.tidemark.pipeline;

import io.tidemark.controller.BrokerRegistration;
import io.tidemark.controller.ClusterImage;
import io.tidemark.controller.TopicState;
import io.tidemark.controller.VersionedState;
import io.tidemark.partition.Durability;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.MessageWriter;
import io.tidemark.wire.sbe.MetadataReplyEncoder;
import io.tidemark.wire.sbe.MetadataRequestDecoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Answers metadata requests from an image of the cluster. A partition whose record is not known yet, and all after it,
 * are left out.
 */
final class MetadataReplies {
    private MetadataReplies() {}

    /**
     * Encodes the reply.
     *
     * @param writer to encode with
     * @param request to answer
     * @param image of the cluster
     */
    static void encode(MessageWriter writer, MetadataRequestDecoder request, ClusterImage image) {
        MetadataReplyEncoder reply = writer.metadataReply();
        reply.correlationId(request.correlationId())
                .code(ErrorCode.NONE.code())
                .controllerBroker(image.controllerBroker())
                .controllerEpoch(image.controllerEpoch());
        MetadataReplyEncoder.BrokersEncoder brokers =
                reply.brokersCount(image.brokers().size());
        for (BrokerRegistration broker : image.brokers().values()) {
            brokers.next()
                    .id(broker.broker())
                    .incarnation(broker.incarnation())
                    .port(broker.port())
                    .status(code(broker.status()))
                    .host(broker.host())
                    .rack(broker.rack());
        }
        List<String> names = new ArrayList<>();
        for (MetadataRequestDecoder.TopicsDecoder topic : request.topics()) {
            names.add(topic.name());
        }
        if (names.isEmpty()) {
            for (TopicState topic : image.topics()) {
                names.add(topic.name());
            }
        }
        MetadataReplyEncoder.TopicsEncoder topics = reply.topicsCount(names.size());
        for (String name : names) {
            encode(topics.next(), name, image.topic(name).orElse(null), image);
        }
        reply.clusterId(image.clusterId());
    }

    private static void encode(
            MetadataReplyEncoder.TopicsEncoder topics, String name, @Nullable TopicState topic, ClusterImage image) {
        if (topic == null) {
            // Who has heard of no controller yet has not read the topics, and cannot say that one is not there.
            boolean isBlind = image.controllerBroker() == ClusterImage.NO_CONTROLLER;
            ErrorCode code = isBlind ? ErrorCode.COORDINATION_LOST : ErrorCode.UNKNOWN_TOPIC;
            topics.code(code.code()).topicIdHigh(0).topicIdLow(0);
            topics.partitionsCount(0);
            topics.settingsCount(0);
            topics.name(name);
            return;
        }
        topics.code(ErrorCode.NONE.code())
                .topicIdHigh(topic.topicId().getMostSignificantBits())
                .topicIdLow(topic.topicId().getLeastSignificantBits());
        List<PartitionId> ids = new ArrayList<>();
        List<PartitionState> states = new ArrayList<>();
        for (int number = 0; number < topic.partitions(); number++) {
            PartitionId id = new PartitionId(topic.topicId(), number);
            VersionedState state = image.partition(id).orElse(null);
            if (state == null) {
                // Clients are told of partitions from 0 on, without a gap; the rest follows when it is known.
                break;
            }
            ids.add(id);
            states.add(state.state());
        }
        MetadataReplyEncoder.TopicsEncoder.PartitionsEncoder partitions = topics.partitionsCount(ids.size());
        for (int i = 0; i < ids.size(); i++) {
            encode(partitions.next(), ids.get(i).partition(), states.get(i));
        }
        Map<String, Long> config = topic.config().toMap();
        MetadataReplyEncoder.TopicsEncoder.SettingsEncoder settings = topics.settingsCount(config.size());
        config.forEach((setting, value) -> settings.next().value(value).setting(setting));
        topics.name(name);
    }

    private static void encode(
            MetadataReplyEncoder.TopicsEncoder.PartitionsEncoder partition, int number, PartitionState state) {
        partition
                .partition(number)
                .leaderBroker(state.leader().broker())
                .leaderIncarnation(state.leader().incarnation())
                .leaderEpoch(state.leaderEpoch())
                .partitionEpoch(state.partitionEpoch())
                .minIsr((short) state.minIsr())
                .durability(code(state.durability()));
        MetadataReplyEncoder.TopicsEncoder.PartitionsEncoder.IsrEncoder isr =
                partition.isrCount(state.isr().size());
        for (Replica replica : state.isr()) {
            isr.next().broker(replica.broker()).incarnation(replica.incarnation());
        }
        MetadataReplyEncoder.TopicsEncoder.PartitionsEncoder.ElrEncoder elr =
                partition.elrCount(state.elr().size());
        for (Replica replica : state.elr()) {
            elr.next().broker(replica.broker()).incarnation(replica.incarnation());
        }
        MetadataReplyEncoder.TopicsEncoder.PartitionsEncoder.AssignmentEncoder assignment =
                partition.assignmentCount(state.assignment().size());
        for (int broker : state.assignment()) {
            assignment.next().broker(broker);
        }
        MetadataReplyEncoder.TopicsEncoder.PartitionsEncoder.AddingEncoder adding =
                partition.addingCount(state.adding().size());
        for (int broker : state.adding()) {
            adding.next().broker(broker);
        }
        MetadataReplyEncoder.TopicsEncoder.PartitionsEncoder.RemovingEncoder removing =
                partition.removingCount(state.removing().size());
        for (int broker : state.removing()) {
            removing.next().broker(broker);
        }
    }

    private static short code(BrokerRegistration.Status status) {
        return switch (status) {
            case RUNNING -> 0;
            case LEAVING -> 1;
        };
    }

    private static short code(Durability durability) {
        return switch (durability) {
            case REPLICATED -> 0;
            case FSYNCED -> 1;
        };
    }
}
