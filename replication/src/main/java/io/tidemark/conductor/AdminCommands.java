package io.tidemark.conductor;

import io.tidemark.controller.AddPartitions;
import io.tidemark.controller.AdminResult;
import io.tidemark.controller.AdminWish;
import io.tidemark.controller.AlterTopic;
import io.tidemark.controller.CreateTopic;
import io.tidemark.controller.DeleteTopic;
import io.tidemark.controller.PartitionChanges;
import io.tidemark.controller.PartitionResult;
import io.tidemark.controller.Placement;
import io.tidemark.controller.TopicConfig;
import io.tidemark.partition.Durability;
import io.tidemark.wire.AdminAnswer;
import io.tidemark.wire.AdminCommand;
import io.tidemark.wire.AdminOperation;
import io.tidemark.wire.AdminSettings;
import io.tidemark.wire.ErrorCode;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Translates between the wire's commands and answers and the controller's wishes and results. Stateless. */
final class AdminCommands {
    private AdminCommands() {}

    /**
     * What a command asks for.
     *
     * @param command as received
     * @param minIsrDefault minimum of in-sync replicas of topics whose creator names none
     * @return the wish
     * @throws IllegalArgumentException if the operation or a setting is not known or is no value of its kind; the
     *     message says which
     */
    static AdminWish wish(AdminCommand command, int minIsrDefault) {
        AdminOperation operation = AdminOperation.of(command.operation())
                .orElseThrow(() -> new IllegalArgumentException("unknown operation: operation=" + command.operation()
                        + "; the client is newer than the broker, update the brokers"));
        return switch (operation) {
            case CREATE_TOPIC -> createTopic(command, minIsrDefault);
            case ADD_PARTITIONS -> addPartitions(command);
            case DELETE_TOPIC -> deleteTopic(command);
            case ALTER_TOPIC -> new AlterTopic(command.topic(), command.settings());
            case REASSIGN -> partitions(command, PartitionChanges.Kind.REASSIGN);
            case CANCEL_REASSIGNMENT -> partitions(command, PartitionChanges.Kind.CANCEL_REASSIGNMENT);
            case ELECT_PREFERRED -> partitions(command, PartitionChanges.Kind.ELECT_PREFERRED);
            case ELECT_UNCLEAN -> partitions(command, PartitionChanges.Kind.ELECT_UNCLEAN);
        };
    }

    private static AdminWish createTopic(AdminCommand command, int minIsrDefault) {
        checkKeys(
                command,
                AdminSettings.PARTITIONS,
                AdminSettings.REPLICATION_FACTOR,
                AdminSettings.MIN_ISR,
                AdminSettings.PLACEMENT,
                TopicConfig.RETENTION_MS,
                TopicConfig.RETENTION_BYTES);
        int minIsr = number(command, AdminSettings.MIN_ISR);
        return new CreateTopic(
                command.topic(),
                number(command, AdminSettings.PARTITIONS),
                number(command, AdminSettings.REPLICATION_FACTOR),
                minIsr == 0 || minIsr == CreateTopic.DEFAULT ? minIsrDefault : minIsr,
                Durability.REPLICATED,
                placement(command),
                assignment(command, 0),
                TopicConfig.DEFAULT.with(command.settings()));
    }

    private static AdminWish addPartitions(AdminCommand command) {
        checkKeys(command, AdminSettings.PARTITIONS, AdminSettings.PLACEMENT);
        int first = command.targets().isEmpty() ? 0 : command.targets().get(0).partition();
        return new AddPartitions(
                command.topic(),
                number(command, AdminSettings.PARTITIONS),
                placement(command),
                assignment(command, first));
    }

    private static AdminWish deleteTopic(AdminCommand command) {
        checkKeys(command, AdminSettings.TOPIC_ID);
        String text = command.settings().get(AdminSettings.TOPIC_ID);
        try {
            return new DeleteTopic(command.topic(), Optional.ofNullable(text).map(UUID::fromString));
        } catch (IllegalArgumentException notAnId) {
            throw new IllegalArgumentException(
                    "a topic id must be a UUID: topic=" + command.topic() + ", topicId=" + text, notAnId);
        }
    }

    private static AdminWish partitions(AdminCommand command, PartitionChanges.Kind kind) {
        checkKeys(command);
        boolean isForAll = command.targets().isEmpty();
        if (isForAll && (kind == PartitionChanges.Kind.REASSIGN || kind == PartitionChanges.Kind.ELECT_UNCLEAN)) {
            throw new IllegalArgumentException(
                    "the request names no partition: operation=" + kind + "; name each partition that is meant");
        }
        return new PartitionChanges(
                kind,
                command.targets().stream()
                        .map(target -> new PartitionChanges.Target(
                                target.topic().isEmpty() ? command.topic() : target.topic(),
                                target.partition(),
                                target.brokers()))
                        .toList());
    }

    private static AdminAnswer.Result result(PartitionResult one) {
        ErrorCode code = switch (one.outcome()) {
            case DONE -> ErrorCode.NONE;
            case NO_CHANGE -> ErrorCode.NO_CHANGE;
            case REFUSED -> ErrorCode.INVALID_REQUEST;
            case UNKNOWN -> ErrorCode.UNKNOWN_TOPIC;
            case BUSY -> ErrorCode.BACK_PRESSURE;
        };
        return new AdminAnswer.Result(one.topic(), one.partition(), code, one.message());
    }

    /** The brokers of partitions that stand in order, without a gap. */
    private static List<List<Integer>> assignment(AdminCommand command, int firstPartition) {
        int expected = firstPartition;
        for (AdminCommand.Target target : command.targets()) {
            if (target.partition() != expected) {
                throw new IllegalArgumentException("the assignment must name the new partitions in order: topic="
                        + command.topic() + ", partition=" + target.partition() + ", expected=" + expected);
            }
            expected++;
        }
        return command.targets().stream().map(AdminCommand.Target::brokers).toList();
    }

    private static void checkKeys(AdminCommand command, String... known) {
        for (String key : new TreeSet<>(command.settings().keySet())) {
            if (!List.of(known).contains(key)) {
                throw new IllegalArgumentException("unknown setting: topic=" + command.topic() + ", setting=" + key
                        + "; known are " + new TreeSet<>(List.of(known)));
            }
        }
    }

    private static int number(AdminCommand command, String key) {
        String text = command.settings().get(key);
        if (text == null) {
            return CreateTopic.DEFAULT;
        }
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException notANumber) {
            throw new IllegalArgumentException(
                    "a setting must be a whole number: topic=" + command.topic() + ", " + key + "=" + text, notANumber);
        }
    }

    private static Placement placement(AdminCommand command) {
        String text = command.settings().getOrDefault(AdminSettings.PLACEMENT, Placement.SPREAD.name());
        try {
            return Placement.valueOf(text.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException unknown) {
            throw new IllegalArgumentException(
                    "unknown placement: topic=" + command.topic() + ", placement=" + text + "; known are "
                            + List.of(Placement.values()),
                    unknown);
        }
    }

    /**
     * The answer that tells a result.
     *
     * @param result how the request ended; null if this broker is not the controller, or is it no more
     * @param brokerId this broker
     * @return the answer
     */
    static AdminAnswer answer(@Nullable AdminResult result, int brokerId) {
        if (result == null) {
            return AdminAnswer.of(
                    ErrorCode.NOT_CONTROLLER,
                    "the broker is not the controller: brokerId=" + brokerId + "; ask the controller");
        }
        if (result instanceof AdminResult.Done done) {
            return new AdminAnswer(ErrorCode.NONE, done.topic().topicId(), List.of(), "");
        }
        if (result instanceof AdminResult.Unanswered late) {
            return new AdminAnswer(ErrorCode.REPLICAS_NOT_READY, late.topic().topicId(), List.of(), late.message());
        }
        if (result instanceof AdminResult.Partitions partitions) {
            return new AdminAnswer(
                    ErrorCode.NONE,
                    AdminAnswer.NO_TOPIC,
                    partitions.results().stream().map(AdminCommands::result).toList(),
                    "");
        }
        return refusal(result);
    }

    private static AdminAnswer refusal(AdminResult result) {
        Map.Entry<ErrorCode, String> refusal;
        if (result instanceof AdminResult.Exists exists) {
            refusal = Map.entry(ErrorCode.TOPIC_EXISTS, exists.message());
        } else if (result instanceof AdminResult.NoChange none) {
            refusal = Map.entry(ErrorCode.NO_CHANGE, none.message());
        } else if (result instanceof AdminResult.Unknown unknown) {
            refusal = Map.entry(ErrorCode.UNKNOWN_TOPIC, unknown.message());
        } else if (result instanceof AdminResult.Busy busy) {
            refusal = Map.entry(ErrorCode.BACK_PRESSURE, busy.message());
        } else if (result instanceof AdminResult.Refused refused) {
            refusal = Map.entry(ErrorCode.INVALID_REQUEST, refused.message());
        } else {
            throw new IllegalArgumentException("not a refusal: result=" + result);
        }
        return AdminAnswer.of(refusal.getKey(), refusal.getValue());
    }
}
