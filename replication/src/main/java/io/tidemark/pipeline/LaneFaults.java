package io.tidemark.pipeline;

import io.tidemark.fetch.PartitionFaults;
import io.tidemark.fetch.ServedPartition;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Which logs were used in this batch of work, and which failed and are to be fenced after the current event. Owned
 * by the lane.
 */
final class LaneFaults implements PartitionFaults {
    private final ArrayList<LanePartition> touched = new ArrayList<>();
    private final ArrayList<LanePartition> failed = new ArrayList<>();
    private final ArrayList<Throwable> causes = new ArrayList<>();

    /** Creates a record of no faults. */
    LaneFaults() {}

    @Override
    public void onFault(ServedPartition partition, Throwable cause) {
        fail((LanePartition) partition.owner(), cause);
    }

    @Override
    public void onTouch(ServedPartition partition) {
        touch((LanePartition) partition.owner());
    }

    /**
     * Notes that a log's memory is about to be used.
     *
     * @param partition whose log it is
     */
    void touch(LanePartition partition) {
        if (!partition.touched) {
            partition.touched = true;
            touched.add(partition);
        }
    }

    /**
     * Notes that a log failed.
     *
     * @param partition whose log it is
     * @param cause of the failure
     */
    void fail(LanePartition partition, Throwable cause) {
        if (!partition.failed && !failed.contains(partition)) {
            failed.add(partition);
            causes.add(cause);
        }
    }

    /**
     * Notes an error of mapped memory: in compiled code it may come late, so that each log used in this batch is
     * suspect.
     *
     * @param cause as thrown
     */
    void failTouched(InternalError cause) {
        for (int i = 0; i < touched.size(); i++) {
            fail(touched.get(i), cause);
        }
    }

    /**
     * Whether a log was used in this batch of work.
     *
     * @return true if one was
     */
    boolean hasTouched() {
        return !touched.isEmpty();
    }

    /** Ends the batch of work. */
    void forgetTouched() {
        for (int i = 0; i < touched.size(); i++) {
            touched.get(i).touched = false;
        }
        touched.clear();
    }

    /**
     * Whether a failed log has not been fenced yet.
     *
     * @return true if one waits
     */
    boolean hasFailed() {
        return !failed.isEmpty();
    }

    /**
     * Takes the oldest failed partition into an event that fences it.
     *
     * @param event to fill
     */
    void pollInto(ReplicationEvent event) {
        event.type = EventType.PARTITION_FAILED;
        event.partition = failed.remove(0);
        @Nullable Throwable cause = causes.remove(0);
        event.cause = cause;
    }

    /** Forgets what failed, because everything is fenced. */
    void clear() {
        failed.clear();
        causes.clear();
    }
}
