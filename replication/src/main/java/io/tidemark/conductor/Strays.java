package io.tidemark.conductor;

import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.ReadMode;
import io.tidemark.log.TopicPartition;
import io.tidemark.metadata.MetadataFormatException;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.metadata.MetadataKeys;
import io.tidemark.partition.PartitionId;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;

/**
 * Compares the folders on the disk with the replicas that the records give to this broker. A folder is deleted only if
 * its topic id has a tombstone; any other one that nobody accounts for is set aside. Before that it is asked for by a
 * linearizable read, since what was listed may be older than the folder. Owned by the conductor.
 */
final class Strays {
    /** The data folder, away from the conductor. */
    interface Folders {
        /**
         * The folders of logs.
         *
         * @return the topic id that each states; fails with {@link io.tidemark.log.StorageException}
         */
        CompletionStage<Map<TopicPartition, UUID>> folders();

        /**
         * Deletes the log of a replica, open or not.
         *
         * @param topicPartition names the folder
         * @param topicId that the folder must state
         * @return whether there was one; fails with {@link io.tidemark.log.StorageException}
         */
        CompletionStage<Boolean> delete(TopicPartition topicPartition, UUID topicId);

        /**
         * Moves a log out of the way for somebody to look at.
         *
         * @param topicPartition names the folder
         * @param topicId that the folder must state
         * @return whether there was one; fails with {@link io.tidemark.log.StorageException}
         */
        CompletionStage<Boolean> setAside(TopicPartition topicPartition, UUID topicId);

        /**
         * Deletes what was moved out of the way earlier.
         *
         * @param topicIds that the folders must state one of
         * @return their number; fails with {@link io.tidemark.log.StorageException}
         */
        CompletionStage<Integer> deleteStrays(Set<UUID> topicIds);
    }

    /** Is told what was found. */
    interface Events {
        /**
         * A folder of a deleted topic was deleted.
         *
         * @param topicPartition names the folder
         * @param topicId of the topic
         */
        void leftoverDeleted(TopicPartition topicPartition, UUID topicId);

        /**
         * A folder was set aside, since this broker has no such replica and the topic is not known to be deleted.
         *
         * @param topicPartition names the folder
         * @param topicId that it states
         */
        void straySetAside(TopicPartition topicPartition, UUID topicId);

        /**
         * A folder could not be judged or moved; the next comparison tries again.
         *
         * @param cause why
         */
        void attemptFailed(Throwable cause);
    }

    private final int brokerId;
    private final Coordination coordination;
    private final CoordinationCalls calls;
    private final Folders folders;
    private final RoleDriver roles;
    private final Events events;

    /**
     * Compares nothing yet.
     *
     * @param brokerId this broker
     * @param coordination the service
     * @param calls continues calls on the conductor
     * @param folders the data folder
     * @param roles knows the replicas of this broker
     * @param events is told
     */
    Strays(
            int brokerId,
            Coordination coordination,
            CoordinationCalls calls,
            Folders folders,
            RoleDriver roles,
            Events events) {
        this.brokerId = brokerId;
        this.coordination = coordination;
        this.calls = calls;
        this.folders = folders;
        this.roles = roles;
        this.events = events;
    }

    /**
     * Compares once.
     *
     * @param deleted topics with a tombstone
     */
    void compare(Set<UUID> deleted) {
        Set<UUID> gone = Set.copyOf(deleted);
        calls.then(
                folders.folders(),
                found -> found.forEach((name, topicId) -> {
                    if (!roles.has(name, topicId)) {
                        judge(name, topicId, gone.contains(topicId));
                    }
                }),
                events::attemptFailed);
        if (!gone.isEmpty()) {
            calls.then(folders.deleteStrays(gone), count -> {}, events::attemptFailed);
        }
    }

    private void judge(TopicPartition name, UUID topicId, boolean isDeleted) {
        if (isDeleted) {
            delete(name, topicId);
            return;
        }
        PartitionId id = new PartitionId(topicId, name.partition());
        calls.then(
                coordination.get(MetadataKeys.partitionState(name.topic(), id), ReadMode.LINEARIZABLE),
                entry -> {
                    try {
                        boolean isOurs = entry.isPresent()
                                && MetadataJson.decodePartition(
                                                entry.get().key().path(),
                                                entry.get().value())
                                        .isReplica(brokerId);
                        if (!isOurs) {
                            judgeByTombstone(name, topicId);
                        }
                    } catch (MetadataFormatException unreadable) {
                        events.attemptFailed(unreadable);
                    }
                },
                events::attemptFailed);
    }

    private void judgeByTombstone(TopicPartition name, UUID topicId) {
        calls.then(
                coordination.get(MetadataKeys.tombstone(topicId), ReadMode.LINEARIZABLE),
                tombstone -> {
                    if (roles.has(name, topicId)) {
                        return;
                    }
                    if (tombstone.isPresent()) {
                        delete(name, topicId);
                    } else {
                        calls.then(
                                folders.setAside(name, topicId),
                                wasThere -> {
                                    if (wasThere) {
                                        events.straySetAside(name, topicId);
                                    }
                                },
                                events::attemptFailed);
                    }
                },
                events::attemptFailed);
    }

    private void delete(TopicPartition name, UUID topicId) {
        calls.then(
                folders.delete(name, topicId),
                wasThere -> {
                    if (wasThere) {
                        events.leftoverDeleted(name, topicId);
                    } else {
                        // A new log of the name may have moved it out of the way meanwhile.
                        calls.then(folders.deleteStrays(Set.of(topicId)), count -> {}, events::attemptFailed);
                    }
                },
                events::attemptFailed);
    }
}
