package io.tidemark.client;

import io.tidemark.coordination.CoordinationSecurity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Configuration of a {@link Client}. Immutable; made by {@link #builder()}.
 *
 * @param connectTimeout longest time that finding the first broker may take; default 10 s
 * @param requestTimeout longest time to wait for the answer to one request, and for a call of {@link Admin}; default
 *     30 s
 * @param coordinationSecurity who the client is at the coordination service when it asks that for brokers, and how it
 *     encrypts; nobody and not at all unless set
 */
public record ClientConfig(
        Duration connectTimeout, Duration requestTimeout, CoordinationSecurity coordinationSecurity) {
    /**
     * A builder that holds the defaults.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Collects values; {@link #build()} checks them. Not thread-safe. */
    public static final class Builder {
        private Duration connectTimeout = Duration.ofSeconds(10);
        private Duration requestTimeout = Duration.ofSeconds(30);
        private CoordinationSecurity coordinationSecurity = CoordinationSecurity.none();

        private Builder() {}

        /**
         * Sets connectTimeout: longest time that finding the first broker may take; default 10 s.
         *
         * @param value the new value
         * @return this
         */
        public Builder connectTimeout(Duration value) {
            connectTimeout = value;
            return this;
        }

        /**
         * Sets requestTimeout: longest time to wait for the answer to one request, and for a call of {@link Admin};
         * default 30 s.
         *
         * @param value the new value
         * @return this
         */
        public Builder requestTimeout(Duration value) {
            requestTimeout = value;
            return this;
        }

        /**
         * Sets who the client is at the coordination service, and how it encrypts.
         *
         * @param value credentials and certificates
         * @return this
         */
        public Builder coordinationSecurity(CoordinationSecurity value) {
            coordinationSecurity = value;
            return this;
        }

        /**
         * Checks all values.
         *
         * @return the configuration
         * @throws IllegalArgumentException naming every value that is not allowed
         */
        public ClientConfig build() {
            List<String> problems = new ArrayList<>();
            if (connectTimeout.isNegative() || connectTimeout.isZero()) {
                problems.add("connectTimeout=" + connectTimeout + ", allowed: above zero");
            }
            if (requestTimeout.isNegative() || requestTimeout.isZero()) {
                problems.add("requestTimeout=" + requestTimeout + ", allowed: above zero");
            }
            if (!problems.isEmpty()) {
                throw new IllegalArgumentException("ClientConfig: " + String.join("; ", problems));
            }
            return new ClientConfig(connectTimeout, requestTimeout, coordinationSecurity);
        }
    }
}
