package io.tidemark.log;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;

/**
 * Who a data folder belongs to.
 *
 * @param clusterId the cluster, empty until the folder was bound
 * @param nodeId the broker, empty until the folder was bound
 * @param directoryId names this very folder; made when the folder was first opened
 */
public record StorageIdentity(Optional<String> clusterId, OptionalInt nodeId, UUID directoryId) {}
