package io.tidemark.conductor;

import io.tidemark.log.StorageException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A data folder in memory, as registration sees it. */
final class FakeFolder implements BrokerFolder {
    Optional<String> cluster = Optional.empty();
    long epoch = -1;
    long incarnation = -1;
    long intactSince = -1;

    @Nullable
    StorageException failure;

    @Override
    public Optional<String> clusterId() {
        return cluster;
    }

    @Override
    public CompletionStage<Long> beginIncarnation(String clusterId, long newIncarnation) {
        if (failure != null) {
            return CompletableFuture.failedStage(failure);
        }
        if (newIncarnation <= incarnation) {
            // As the real folder does: it cannot tell a life that nobody heard of from one that was lived.
            return CompletableFuture.failedStage(new IllegalArgumentException("incarnation does not grow"));
        }
        cluster = Optional.of(clusterId);
        incarnation = newIncarnation;
        if (intactSince < 0) {
            intactSince = newIncarnation;
        }
        return CompletableFuture.completedStage(intactSince);
    }

    @Override
    public long incarnation() {
        return incarnation;
    }

    @Override
    public long controllerEpoch() {
        return epoch;
    }

    @Override
    public void controllerEpochSeen(long newEpoch) {
        epoch = Math.max(epoch, newEpoch);
    }
}
