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
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the whole state once: by the snapshot of a watch, which is then closed. Brokers do not watch partitions; the
 * controller tells them what changes. Owned by the conductor.
 */
final class StateReader {
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
     * @param onRecords is given all records, on the conductor
     */
    void read(Consumer<List<VersionedRecord>> onRecords) {
        close();
        int current = ++reading;
        watch = coordination.watch(MetadataKeys.TOPICS, new WatchListener() {
            @Override
            public void onSnapshot(Listing state) {
                conductor.execute(() -> {
                    if (current == reading) {
                        close();
                        onRecords.accept(decode(state.entries()));
                    }
                });
            }

            @Override
            public void onChanges(List<Change> changes, long revision) {
                // The watch is closed after the snapshot; the controller tells the rest.
            }
        });
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
