package io.tidemark.client;

import io.tidemark.transport.Frame;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.MessageReader;
import io.tidemark.wire.WireFormatException;
import io.tidemark.wire.sbe.MetadataReplyDecoder;
import io.tidemark.wire.sbe.MetadataReplyDecoder.TopicsDecoder.PartitionsDecoder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * What a MetadataReply says.
 *
 * @param code outcome of the whole request
 * @param cluster brokers and controller
 * @param topics those without error, sorted by name
 * @param failures code by name of the others
 */
record MetadataReplyReader(
        ErrorCode code, ClusterDescription cluster, List<TopicDescription> topics, Map<String, ErrorCode> failures) {
    private static final short LEAVING = 1;

    /**
     * Reads a reply.
     *
     * @param reader to decode with
     * @param frame that came
     * @return everything in it, copied
     * @throws WireFormatException if the bytes are no such reply
     */
    static MetadataReplyReader read(MessageReader reader, Frame frame) {
        final MetadataReplyDecoder reply =
                reader.metadataReply(frame.buffer(), frame.headerIndex(), frame.headerLength());
        final List<BrokerDescription> brokers = new ArrayList<>();
        for (MetadataReplyDecoder.BrokersDecoder broker : reply.brokers()) {
            final int id = broker.id();
            final long incarnation = broker.incarnation();
            final int port = broker.port();
            final boolean leaving = broker.status() == LEAVING;
            final String host = broker.host();
            brokers.add(new BrokerDescription(id, incarnation, host, port, broker.rack(), leaving));
        }
        brokers.sort(Comparator.comparingInt(BrokerDescription::id));
        final List<TopicDescription> topics = new ArrayList<>();
        final Map<String, ErrorCode> failures = new HashMap<>();
        for (MetadataReplyDecoder.TopicsDecoder topic : reply.topics()) {
            final ErrorCode code = ErrorCode.of(topic.code());
            final UUID id = new UUID(topic.topicIdHigh(), topic.topicIdLow());
            final List<PartitionDescription> partitions = readPartitions(topic);
            final Map<String, Long> settings = new TreeMap<>();
            for (MetadataReplyDecoder.TopicsDecoder.SettingsDecoder setting : topic.settings()) {
                final long value = setting.value();
                settings.put(setting.setting(), value);
            }
            final String name = topic.name();
            if (code == ErrorCode.NONE) {
                topics.add(new TopicDescription(name, id, partitions, settings));
            } else {
                failures.put(name, code);
            }
        }
        topics.sort(Comparator.comparing(TopicDescription::name));
        final ClusterDescription cluster = new ClusterDescription(
                reply.clusterId(), reply.controllerBroker(), reply.controllerEpoch(), List.copyOf(brokers));
        return new MetadataReplyReader(ErrorCode.of(reply.code()), cluster, topics, failures);
    }

    private static List<PartitionDescription> readPartitions(MetadataReplyDecoder.TopicsDecoder topic) {
        final List<PartitionDescription> partitions = new ArrayList<>();
        for (PartitionsDecoder partition : topic.partitions()) {
            final int number = partition.partition();
            final int leader = partition.leaderBroker();
            final long leaderIncarnation = partition.leaderIncarnation();
            final int leaderEpoch = partition.leaderEpoch();
            final int partitionEpoch = partition.partitionEpoch();
            final int minIsr = partition.minIsr();
            final List<Integer> isr = new ArrayList<>();
            partition.isr().forEachRemaining(replica -> isr.add(replica.broker()));
            final List<Integer> elr = new ArrayList<>();
            partition.elr().forEachRemaining(replica -> elr.add(replica.broker()));
            final List<Integer> assignment = new ArrayList<>();
            partition.assignment().forEachRemaining(replica -> assignment.add(replica.broker()));
            final List<Integer> adding = new ArrayList<>();
            partition.adding().forEachRemaining(replica -> adding.add(replica.broker()));
            final List<Integer> removing = new ArrayList<>();
            partition.removing().forEachRemaining(replica -> removing.add(replica.broker()));
            if (number != partitions.size()) {
                throw new WireFormatException("partitions are not numbered from 0: message=MetadataReply,"
                        + " field=partition, value=" + number + ", expected=" + partitions.size());
            }
            partitions.add(new PartitionDescription(
                    number,
                    leader,
                    leaderIncarnation,
                    leaderEpoch,
                    partitionEpoch,
                    List.copyOf(isr),
                    List.copyOf(elr),
                    List.copyOf(assignment),
                    minIsr,
                    List.copyOf(adding),
                    List.copyOf(removing)));
        }
        return List.copyOf(partitions);
    }
}
