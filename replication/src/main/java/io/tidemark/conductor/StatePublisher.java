package io.tidemark.conductor;

import io.tidemark.controller.BrokerRegistration;
import io.tidemark.partition.PartitionId;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Sends a controller's records to the other registered brokers. Nothing is kept for absent ones: who comes back gets
 * everything with its new connection. Owned by the conductor; one object per controller term.
 */
final class StatePublisher {
    private static final long RETRY_MIN_NS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long RETRY_MAX_NS = TimeUnit.SECONDS.toNanos(1);

    private final BrokerLink.Office office;
    private final RandomGenerator random;
    private final Map<Integer, BrokerLink> links = new HashMap<>();

    /**
     * Begins without connections.
     *
     * @param office the controller's office
     * @param random spreads attempts
     */
    StatePublisher(BrokerLink.Office office, RandomGenerator random) {
        this.office = office;
        this.random = random;
    }

    /**
     * Takes the registered brokers: connects to new lives, and ends the connections to old ones.
     *
     * @param registered by id
     * @param nowNs now
     */
    void onBrokers(Map<Integer, BrokerRegistration> registered, long nowNs) {
        links.values().removeIf(link -> {
            boolean isGone =
                    !link.broker().isSameProcess(registered.get(link.broker().broker()));
            if (isGone) {
                link.close();
            }
            return isGone;
        });
        for (BrokerRegistration broker : registered.values()) {
            if (broker.broker() != office.brokerId()) {
                links.computeIfAbsent(
                        broker.broker(),
                        id -> new BrokerLink(office, broker, new Backoff(RETRY_MIN_NS, RETRY_MAX_NS, random), nowNs));
            }
        }
    }

    /**
     * A partition has news.
     *
     * @param id the partition
     */
    void publish(PartitionId id) {
        links.values().forEach(link -> link.publish(id));
    }

    /**
     * A topic is deleted.
     *
     * @param topicId its id
     */
    void publishDeletion(UUID topicId) {
        links.values().forEach(link -> link.publishDeletion(topicId));
    }

    /**
     * Moves the connections on.
     *
     * @param nowNs now
     * @return count of things done
     */
    int tick(long nowNs) {
        int count = 0;
        for (BrokerLink link : links.values()) {
            count += link.tick(nowNs);
        }
        return count;
    }

    /** Ends all connections. */
    void close() {
        links.values().forEach(BrokerLink::close);
        links.clear();
    }
}
