package io.tidemark.pipeline;

import io.tidemark.conductor.ConductorProxy;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Remembers what the lane asks for. */
final class FakeConductor implements ConductorProxy {
    record Proposal(PartitionId id, PartitionState proposed) {}

    record Forwarded(long connectionId, int templateId, org.agrona.DirectBuffer header) {}

    final ArrayDeque<Proposal> proposals = new ArrayDeque<>();
    final List<Forwarded> forwarded = new ArrayList<>();
    final List<String> lost = new ArrayList<>();
    final List<PartitionId> failedPartitions = new ArrayList<>();

    @Nullable
    Throwable laneFailure;

    @Nullable
    Throwable throwOnPropose;

    @Override
    public void proposeIsr(PartitionId id, PartitionState proposed) {
        Throwable cause = throwOnPropose;
        if (cause instanceof Error error) {
            throw error;
        } else if (cause instanceof RuntimeException exception) {
            throw exception;
        }
        proposals.addLast(new Proposal(id, proposed));
    }

    @Override
    public void forward(long connectionId, int templateId, byte[] header) {
        forwarded.add(new Forwarded(connectionId, templateId, new org.agrona.concurrent.UnsafeBuffer(header)));
    }

    @Override
    public void connectionLost(int broker, long incarnation) {
        lost.add(broker + "@" + incarnation);
    }

    @Override
    public void partitionFailed(PartitionId id, Throwable cause) {
        failedPartitions.add(id);
    }

    @Override
    public void laneFailed(Throwable cause) {
        laneFailure = cause;
    }
}
