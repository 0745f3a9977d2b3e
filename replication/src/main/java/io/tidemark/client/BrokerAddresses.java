package io.tidemark.client;

import io.tidemark.controller.BrokerRegistration;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.Coordinations;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.ReadMode;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.metadata.MetadataKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;

/** Turns what a client is told to connect to into addresses of brokers. */
final class BrokerAddresses {
    private BrokerAddresses() {}

    /**
     * Addresses of brokers.
     *
     * @param target host:port, separated by commas, or the URI of the coordination service, which is then asked once
     * @param config times
     * @return one or more
     * @throws IllegalArgumentException if the target is neither
     * @throws BrokersUnreachableException if the coordination service does not answer or knows no broker
     */
    static List<HostPort> of(String target, ClientConfig config) {
        return target.contains("://") || target.startsWith("local:")
                ? registered(target, config)
                : HostPort.parse(target);
    }

    private static List<HostPort> registered(String uri, ClientConfig config) {
        final CoordinationConfig times = config.coordinationSecurity()
                .applyTo(CoordinationConfig.builder()
                        .operationTimeout(config.connectTimeout())
                        .connectTimeout(config.connectTimeout())
                        .clientName("tidemark-client"))
                .build();
        final List<HostPort> addresses = new ArrayList<>();
        try (Coordination coordination = Coordinations.open(uri, times)) {
            for (Entry entry : coordination
                    .list(MetadataKeys.BROKER_IDS, ReadMode.LINEARIZABLE)
                    .toCompletableFuture()
                    .get()
                    .entries()) {
                final BrokerRegistration broker =
                        MetadataJson.decodeBroker(entry.key().toString(), entry.value());
                addresses.add(new HostPort(broker.host(), broker.port()));
            }
        } catch (ExecutionException e) {
            throw unreachable(uri, config, String.valueOf(e.getCause()));
        } catch (CoordinationException e) {
            throw unreachable(uri, config, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unreachable(uri, config, "interrupted");
        }
        if (addresses.isEmpty()) {
            throw unreachable(uri, config, "no broker is registered");
        }
        return addresses;
    }

    private static BrokersUnreachableException unreachable(String uri, ClientConfig config, String cause) {
        return new BrokersUnreachableException("no broker found: coordination=" + uri + ", connectTimeoutMs="
                + config.connectTimeout().toMillis() + ", cause=" + cause
                + "; check that the coordination service and the brokers are running");
    }
}
