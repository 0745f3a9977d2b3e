package io.tidemark.log;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Recovers several logs of a store at once: each is opened and closed again, so that it counts as cleanly closed
 * afterwards. Used once, by the thread that waits for it.
 */
final class StoreRecovery {
    private final LogStore store;
    private final LogConfig config;
    private final RecoveryListener listener;
    private final int total;
    private final CountDownLatch left;
    private int done;
    private int failed;

    /**
     * A recovery.
     *
     * @param store with the logs
     * @param config settings to open them with
     * @param listener is told about each log
     * @param total number of logs
     */
    StoreRecovery(LogStore store, LogConfig config, RecoveryListener listener, int total) {
        this.store = store;
        this.config = config;
        this.listener = listener;
        this.total = total;
        left = new CountDownLatch(total);
    }

    /**
     * Recovers logs and waits until all are done.
     *
     * @param partitions names of the logs
     * @param executor runs one task for each
     * @return the number of logs that could not be recovered
     */
    int run(List<TopicPartition> partitions, Executor executor) {
        for (final TopicPartition partition : partitions) {
            final Runnable task = () -> {
                try {
                    recover(partition);
                } finally {
                    left.countDown();
                }
            };
            try {
                executor.execute(task);
            } catch (final RejectedExecutionException e) {
                // Slower, but done.
                task.run();
            }
        }
        boolean isInterrupted = false;
        while (true) {
            try {
                left.await();
                break;
            } catch (final InterruptedException e) {
                // The store may not be used while tasks work on it; the caller learns of it afterwards.
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            return failed;
        }
    }

    private void recover(TopicPartition partition) {
        try {
            final UUID topicId = store.topicIdOf(partition)
                    .orElseThrow(() -> new StorageException("folder of a log states no topic id: log=" + partition
                            + "; restore its partition.metadata, or move the folder away"));
            final Log log = store.openLog(partition, topicId, config);
            log.close();
            synchronized (this) {
                listener.recovered(partition, log.recoveryReport(), log.logEndOffset(), ++done, total);
            }
        } catch (final StorageException e) {
            synchronized (this) {
                failed++;
                listener.failed(partition, e, ++done, total);
            }
        } catch (final InternalError | IllegalStateException e) {
            synchronized (this) {
                failed++;
                listener.failed(
                        partition,
                        new StorageException("log cannot be recovered: log=" + partition + "; check the disk", e),
                        ++done,
                        total);
            }
        }
    }
}
