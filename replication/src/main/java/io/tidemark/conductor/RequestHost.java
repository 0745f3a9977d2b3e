package io.tidemark.conductor;

import io.tidemark.controller.AdminResult;
import io.tidemark.controller.AdminWish;
import io.tidemark.partition.Replica;
import io.tidemark.pipeline.LaneProxy;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Joins forwarded requests with the parts that answer them. Owned by the conductor. */
final class RequestHost implements ControlRequests.Host {
    private final Desk desk;
    private final LaneProxy lane;
    private final LaneOutbox outbox;
    private final BrokerFolder folder;

    /**
     * The parts that answer.
     *
     * @param view the known cluster
     * @param controller the office, if this broker has it
     * @param producerIds gives out ids
     * @param hellos knows the incarnation
     * @param isRegistered whether the incarnation is alive
     * @param counters what the broker has counted
     * @param testify says whether a process was found dead
     * @param fromController is given what a controller sent: records and ids of deleted topics
     */
    record Desk(
            ClusterView view,
            ControllerDriver controller,
            ProducerIds producerIds,
            Hellos hellos,
            BooleanSupplier isRegistered,
            Supplier<Map<String, Long>> counters,
            BiConsumer<Replica, Consumer<Boolean>> testify,
            BiConsumer<List<VersionedRecord>, List<UUID>> fromController) {}

    /**
     * Makes the host.
     *
     * @param desk the parts that answer
     * @param lane takes the answers
     * @param outbox through which the lane is told
     * @param folder notes controller epochs
     */
    RequestHost(Desk desk, LaneProxy lane, LaneOutbox outbox, BrokerFolder folder) {
        this.desk = desk;
        this.lane = lane;
        this.outbox = outbox;
        this.folder = folder;
    }

    @Override
    public void reply(long connectionId, byte[] message) {
        outbox.say(() -> lane.reply(connectionId, message));
    }

    @Override
    public boolean admin(AdminWish wish, long waitNs, Consumer<@Nullable AdminResult> result) {
        return desk.controller().admin(wish, waitNs, result);
    }

    @Override
    public boolean nextProducerId(ProducerIds.Receiver receiver) {
        return desk.producerIds().next(receiver);
    }

    @Override
    public long controllerEpoch() {
        return desk.view().controllerEpoch();
    }

    @Override
    public void statesFromController(int broker, long epoch, List<VersionedRecord> records, List<UUID> deleted) {
        if (epoch > desk.view().controllerEpoch()) {
            folder.controllerEpochSeen(epoch);
        }
        desk.view().controller(broker, epoch);
        desk.fromController().accept(records, deleted);
    }

    @Override
    public void testify(Replica process, Consumer<Boolean> verdict) {
        desk.testify().accept(process, verdict);
    }

    @Override
    public Map<String, Long> counters() {
        return desk.counters().get();
    }

    @Override
    public long incarnation() {
        return desk.isRegistered().getAsBoolean() ? desk.hellos().incarnation() : -1;
    }
}
