package io.tidemark.conductor;

import io.tidemark.controller.TopicState;
import io.tidemark.coordination.Change;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Listing;
import io.tidemark.coordination.Watch;
import io.tidemark.coordination.WatchListener;
import io.tidemark.metadata.MetadataFormatException;
import io.tidemark.metadata.MetadataKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the whole state once: by the snapshots of two watches, which are then closed. Brokers do not watch partitions;
 * the controller tells them what changes. The tombstones are read after the topics: a topic that is deleted in between
 * is in both, and never in neither. Owned by the conductor.
 */
final class StateReader {
    /** Is given what was read, on the conductor. */
    @FunctionalInterface
    interface Receiver {
        /**
         * Everything was read.
         *
         * @param records of all partitions; some may belong to deleted topics
         * @param deleted ids of the topics with a tombstone
         */
        void read(List<VersionedRecord> records, List<UUID> deleted);
    }

    private final Coordination coordination;
    private final Executor conductor;
    private final Consumer<MetadataFormatException> onBroken;
    private @Nullable Watch watch;
    private int reading;

    /**
     * Makes a reader that reads nothing yet.
     *
     * @param coordination the service
     * @param conductor runs tasks on the conductor
     * @param onBroken is told of values that cannot be read
     */
    StateReader(Coordination coordination, Executor conductor, Consumer<MetadataFormatException> onBroken) {
        this.coordination = coordination;
        this.conductor = conductor;
        this.onBroken = onBroken;
    }

    /**
     * Reads everything. A reading that is under way is given up.
     *
     * @param receiver is given all of it
     */
    void read(Receiver receiver) {
        close();
        int current = ++reading;
        watch = coordination.watch(MetadataKeys.TOPICS, new Once(current, topics -> {
            List<VersionedRecord> records = decode(topics);
            watch = coordination.watch(
                    MetadataKeys.TOMBSTONES,
                    new Once(current, tombstones -> receiver.read(records, topicIds(tombstones))));
        }));
    }

    /**
     * Whether a reading is under way.
     *
     * @return false once everything was read
     */
    boolean isReading() {
        return watch != null;
    }

    /** Takes the first snapshot of the reading that is under way, and closes its watch. */
    private final class Once implements WatchListener {
        private final int current;
        private final Consumer<List<Entry>> receiver;
        private boolean isTaken;

        private Once(int current, Consumer<List<Entry>> receiver) {
            this.current = current;
            this.receiver = receiver;
        }

        @Override
        public void onSnapshot(Listing state) {
            conductor.execute(() -> {
                Watch own = watch;
                if (current == reading && !isTaken) {
                    isTaken = true;
                    watch = null;
                    if (own != null) {
                        own.close();
                    }
                    receiver.accept(state.entries());
                }
            });
        }

        @Override
        public void onChanges(List<Change> changes, long revision) {
            // The watch is closed after the snapshot; the controller tells the rest.
        }
    }

    private static List<UUID> topicIds(List<Entry> tombstones) {
        return tombstones.stream()
                .map(entry -> MetadataKeys.tombstoneOf(entry.key()))
                .flatMap(Optional::stream)
                .toList();
    }

    /** Gives up what is under way. */
    void close() {
        reading++;
        Watch open = watch;
        watch = null;
        if (open != null) {
            open.close();
        }
    }

    private List<VersionedRecord> decode(List<Entry> entries) {
        List<VersionedRecord> records = new ArrayList<>();
        new TopicEntries(onBroken).read(entries, new TopicEntries.Receiver() {
            @Override
            public void topic(TopicState topic) {
                // Comes again with each record of it.
            }

            @Override
            public void record(VersionedRecord record) {
                records.add(record);
            }
        });
        return records;
    }
}
