package io.tidemark.partition;

import java.util.ArrayList;
import java.util.List;

/** Remembers what a leader decided. */
final class RecordedDecisions implements LeaderDecisions {
    final List<PartitionState> proposals = new ArrayList<>();
    final List<Long> highWatermarks = new ArrayList<>();

    @Override
    public void proposeIsr(PartitionState proposed) {
        proposals.add(proposed);
    }

    @Override
    public void highWatermarkAdvanced(long highWatermark) {
        highWatermarks.add(highWatermark);
    }

    PartitionState last() {
        return proposals.get(proposals.size() - 1);
    }
}
