package io.tidemark.log;

import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.BackoffIdleStrategy;

/** A log that is used alone: its store, and its maintenance by a daemon thread that sleeps while nothing is to do. */
final class OwnMaintenance implements Agent {
    private static final TopicPartition ALONE = new TopicPartition("log", 0);
    private static final long PARK_MIN_NS = 1_000_000;
    private static final long PARK_MAX_NS = 100_000_000;

    private final LogStore store;

    private OwnMaintenance(LogStore store) {
        this.store = store;
    }

    /**
     * Opens a log in a store of its own.
     *
     * @param dir the data folder
     * @param config settings
     * @param isShared whether any thread may append and the log maintains itself
     * @return the log, which closes its store
     */
    static Log openAlone(Path dir, LogConfig config, boolean isShared) {
        final LogStore store = LogStore.open(dir, LogStoreConfig.defaults());
        try {
            final UUID id = store.topicIdOf(ALONE).orElseGet(store::newId);
            final Log log = store.openLog(ALONE, id, config, new LogUse(() -> Long.MAX_VALUE, isShared));
            log.own(store, isShared ? start(log, store) : null);
            return log;
        } catch (final RuntimeException e) {
            try {
                store.close();
            } catch (final StorageException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    private static AgentRunner start(Log log, LogStore store) {
        final AgentRunner runner = new AgentRunner(
                new BackoffIdleStrategy(0, 0, PARK_MIN_NS, PARK_MAX_NS),
                log.maintenance()::fail,
                null,
                new OwnMaintenance(store));
        final ThreadFactory threads = Executors.defaultThreadFactory();
        AgentRunner.startOnThread(runner, task -> {
            final Thread thread = threads.newThread(task);
            thread.setDaemon(true);
            return thread;
        });
        return runner;
    }

    @Override
    public int doWork() {
        return store.maintain();
    }

    @Override
    public String roleName() {
        return "tidemark-log-maintenance";
    }
}
