package io.tidemark.wire;

import io.tidemark.wire.sbe.AdminRequestDecoder;
import io.tidemark.wire.sbe.AdminRequestEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The content of an AdminRequest. One shape serves all operations: what each reads of it is listed in PROTOCOL.md.
 * Immutable.
 *
 * @param operation number of an {@link AdminOperation}
 * @param timeoutMs how long the controller may take, in milliseconds
 * @param topic the topic that it is about, empty if there is none or there are many
 * @param settings texts by key
 * @param targets partitions, each with brokers
 */
public record AdminCommand(
        short operation, int timeoutMs, String topic, Map<String, String> settings, List<Target> targets) {
    /**
     * A partition that a command names.
     *
     * @param topic its topic; empty for the topic of the command
     * @param partition its number, from 0
     * @param brokers its replicas, the preferred leader first; empty where the operation needs none
     */
    public record Target(String topic, int partition, List<Integer> brokers) {
        /**
         * Copies the list.
         *
         * @param topic its topic
         * @param partition its number
         * @param brokers its replicas
         */
        public Target {
            brokers = List.copyOf(brokers);
        }
    }

    /**
     * Copies the collections.
     *
     * @param operation number of an operation
     * @param timeoutMs how long the controller may take
     * @param topic the topic
     * @param settings texts by key
     * @param targets partitions
     */
    public AdminCommand {
        settings = Map.copyOf(settings);
        targets = List.copyOf(targets);
    }

    /**
     * Writes the request.
     *
     * @param writer to write with
     * @param correlationId to put into it
     */
    public void encode(MessageWriter writer, long correlationId) {
        AdminRequestEncoder request = writer.adminRequest()
                .correlationId(correlationId)
                .operation(operation)
                .timeoutMs(timeoutMs);
        AdminRequestEncoder.SettingsEncoder group = request.settingsCount(settings.size());
        new TreeMap<>(settings).forEach((key, value) -> group.next().key(key).value(value));
        AdminRequestEncoder.TargetsEncoder all = request.targetsCount(targets.size());
        for (Target target : targets) {
            AdminRequestEncoder.TargetsEncoder.BrokersEncoder brokers =
                    all.next().partition(target.partition).brokersCount(target.brokers.size());
            for (int broker : target.brokers) {
                brokers.next().broker(broker);
            }
            all.topic(target.topic);
        }
        request.topic(topic);
    }

    /**
     * Reads a request.
     *
     * @param request the checked message
     * @return everything in it but the correlation id, copied
     */
    public static AdminCommand decode(AdminRequestDecoder request) {
        short operation = request.operation();
        int timeoutMs = request.timeoutMs();
        Map<String, String> settings = new TreeMap<>();
        for (AdminRequestDecoder.SettingsDecoder setting : request.settings()) {
            String key = setting.key();
            settings.put(key, setting.value());
        }
        List<Target> targets = new ArrayList<>();
        for (AdminRequestDecoder.TargetsDecoder target : request.targets()) {
            int partition = target.partition();
            List<Integer> brokers = new ArrayList<>();
            target.brokers().forEachRemaining(broker -> brokers.add(broker.broker()));
            targets.add(new Target(target.topic(), partition, brokers));
        }
        return new AdminCommand(operation, timeoutMs, request.topic(), settings, targets);
    }
}
