package io.tidemark.conductor;

import io.tidemark.coordination.Change;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Listing;
import io.tidemark.coordination.Watch;
import io.tidemark.coordination.WatchListener;
import io.tidemark.metadata.MetadataFormatException;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.metadata.MetadataKeys;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Executor;

/**
 * Follows the registered brokers: one watch, whatever their number. Listeners' calls are carried to the conductor,
 * which owns the rest.
 */
final class BrokersWatch implements WatchListener {
    /** What the conductor does about it. Called on the conductor. */
    interface Events {
        /**
         * The registered brokers.
         *
         * @param registered by id, immutable
         */
        void brokers(Map<Integer, KnownBroker> registered);

        /**
         * What the watch saw of this broker's own key.
         *
         * @param entry the entry, empty if the key is gone
         * @param revision of the store when it was seen
         */
        void ownKey(Optional<Entry> entry, long revision);

        /**
         * A registration cannot be read; it is passed over.
         *
         * @param broken names the key
         */
        void brokenValue(MetadataFormatException broken);

        /**
         * The brokers may be out of date until they are told again.
         *
         * @param cause why
         */
        void attemptFailed(Throwable cause);
    }

    private final Key ownKey;
    private final Executor conductor;
    private final Events events;
    private final Map<Integer, KnownBroker> known = new TreeMap<>();

    private BrokersWatch(int brokerId, Executor conductor, Events events) {
        this.ownKey = MetadataKeys.brokerId(brokerId);
        this.conductor = conductor;
        this.events = events;
    }

    /**
     * Begins to watch.
     *
     * @param coordination the service
     * @param brokerId this broker
     * @param conductor runs tasks on the conductor
     * @param events who is told
     * @return the watch, to be closed by the caller
     */
    static Watch open(Coordination coordination, int brokerId, Executor conductor, Events events) {
        return coordination.watch(MetadataKeys.BROKER_IDS, new BrokersWatch(brokerId, conductor, events));
    }

    @Override
    public void onSnapshot(Listing state) {
        conductor.execute(() -> {
            known.clear();
            state.entries().forEach(this::put);
            events.brokers(Map.copyOf(known));
            events.ownKey(state.find(ownKey), state.revision());
        });
    }

    @Override
    public void onChanges(List<Change> changes, long revision) {
        conductor.execute(() -> changed(changes));
    }

    @Override
    public void onDegraded(Throwable cause) {
        conductor.execute(() -> events.attemptFailed(cause));
    }

    private void changed(List<Change> changes) {
        for (Change change : changes) {
            if (change instanceof Change.Put put) {
                put(put.entry());
            } else if (change instanceof Change.Deleted deleted) {
                MetadataKeys.brokerOf(deleted.key()).ifPresent(known::remove);
            }
        }
        events.brokers(Map.copyOf(known));
        for (Change change : changes) {
            if (change instanceof Change.Put put && put.entry().key().equals(ownKey)) {
                events.ownKey(Optional.of(put.entry()), put.entry().version().modRevision());
            } else if (change instanceof Change.Deleted deleted && deleted.key().equals(ownKey)) {
                events.ownKey(Optional.empty(), deleted.revision());
            }
        }
    }

    private void put(Entry entry) {
        Optional<Integer> id = MetadataKeys.brokerOf(entry.key());
        if (id.isEmpty()) {
            return;
        }
        try {
            known.put(
                    id.get(),
                    new KnownBroker(MetadataJson.decodeBroker(entry.key().path(), entry.value()), entry.version()));
        } catch (MetadataFormatException broken) {
            known.remove(id.get());
            events.brokenValue(broken);
        }
    }
}
