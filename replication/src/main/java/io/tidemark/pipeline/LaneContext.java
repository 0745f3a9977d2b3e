package io.tidemark.pipeline;

import io.tidemark.conductor.ConductorProxy;
import io.tidemark.controller.ClusterImage;
import io.tidemark.transport.TransportFactory;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.agrona.concurrent.NanoClock;

/**
 * What a lane is made with.
 *
 * @param config settings
 * @param transports opens the lane's network, on the lane's thread
 * @param clock monotonic; read once per duty cycle
 * @param conductor for what the lane does not decide itself
 * @param image the cluster as this broker knows it, for metadata; called on the lane's thread
 * @param leaseValid whether the coordination session is certainly valid now; while it is not, nothing is
 *     acknowledged.
 *     Called on the lane's thread for each produce request and each batch of completions, so it must be cheap
 * @param counters that the lane writes
 */
public record LaneContext(
        LaneConfig config,
        TransportFactory transports,
        NanoClock clock,
        ConductorProxy conductor,
        Supplier<ClusterImage> image,
        BooleanSupplier leaseValid,
        LaneCounters counters) {}
