package io.tidemark.coordination;

import io.tidemark.coordination.spi.SystemSeam;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a client uses its coordination service, whichever it is. Immutable.
 *
 * @param callbackExecutor where stages and listeners run; belongs to the caller and is not closed. Empty: one daemon
 *     thread, which the client starts and ends
 * @param operationTimeout the deadline of each call, from 1 ms to 1 hour; 10 s unless set
 * @param connectTimeout how long one attempt to reach the service may take, from 1 ms to 1 hour; 5 s unless set
 * @param nanoClock a monotonic clock in nanoseconds, by which the client judges its sessions
 * @param clientName names the threads of the client; 1 to 64 characters
 * @param callbackErrorHandler is told what a listener threw; writes a warning to the log unless set
 * @param credentials who the client is; empty if the service does not ask
 * @param tls how connections are encrypted; empty for plain ones
 */
public record CoordinationConfig(
        Optional<Executor> callbackExecutor,
        Duration operationTimeout,
        Duration connectTimeout,
        LongSupplier nanoClock,
        String clientName,
        Consumer<Throwable> callbackErrorHandler,
        Optional<Credentials> credentials,
        Optional<TlsConfig> tls) {
    private static final Logger LOG = LoggerFactory.getLogger(CoordinationConfig.class);
    private static final Duration TIMEOUT_MIN = Duration.ofMillis(1);
    private static final Duration TIMEOUT_MAX = Duration.ofHours(1);
    private static final int CLIENT_NAME_LENGTH_MAX = 64;

    /**
     * Checks the values.
     *
     * @param callbackExecutor where stages and listeners run
     * @param operationTimeout the deadline of each call
     * @param connectTimeout how long one attempt to reach the service may take
     * @param nanoClock a monotonic clock in nanoseconds
     * @param clientName names the threads of the client
     * @param callbackErrorHandler is told what a listener threw
     * @param credentials who the client is
     * @param tls how connections are encrypted
     * @throws IllegalArgumentException if values are out of range; the message lists all of them
     */
    public CoordinationConfig {
        Objects.requireNonNull(callbackExecutor, "callbackExecutor");
        Objects.requireNonNull(nanoClock, "nanoClock");
        Objects.requireNonNull(callbackErrorHandler, "callbackErrorHandler");
        Objects.requireNonNull(credentials, "credentials");
        Objects.requireNonNull(tls, "tls");
        List<String> problems = new ArrayList<>();
        checkTimeout("operationTimeout", operationTimeout, problems);
        checkTimeout("connectTimeout", connectTimeout, problems);
        if (clientName.isBlank() || clientName.length() > CLIENT_NAME_LENGTH_MAX) {
            problems.add(
                    "clientName must have 1 to " + CLIENT_NAME_LENGTH_MAX + " characters: clientName=" + clientName);
        }
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException("invalid coordination configuration: " + String.join("; ", problems));
        }
    }

    private static void checkTimeout(String name, Duration value, List<String> problems) {
        if (value.compareTo(TIMEOUT_MIN) < 0 || value.compareTo(TIMEOUT_MAX) > 0) {
            problems.add(name + " must lie between " + TIMEOUT_MIN + " and " + TIMEOUT_MAX + ": " + name + "=" + value);
        }
    }

    /**
     * Begins a configuration.
     *
     * @return a builder with the defaults
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * The defaults.
     *
     * @return a configuration in which nothing was set
     */
    public static CoordinationConfig defaults() {
        return builder().build();
    }

    /** Collects the values. Not thread-safe. */
    public static final class Builder {
        private Optional<Executor> callbackExecutor = Optional.empty();
        private Duration operationTimeout = Duration.ofSeconds(10);
        private Duration connectTimeout = Duration.ofSeconds(5);
        private LongSupplier nanoClock = SystemSeam.nanoClock();
        private String clientName = "coordination";
        private Consumer<Throwable> callbackErrorHandler =
                thrown -> LOG.warn("a coordination listener threw; it goes on with the next event", thrown);
        private Optional<Credentials> credentials = Optional.empty();
        private Optional<TlsConfig> tls = Optional.empty();

        private Builder() {}

        /**
         * Sets where stages and listeners run.
         *
         * @param value an executor that the caller closes after the client
         * @return this
         */
        public Builder callbackExecutor(Executor value) {
            callbackExecutor = Optional.of(value);
            return this;
        }

        /**
         * Sets the deadline of each call.
         *
         * @param value from 1 ms to 1 hour
         * @return this
         */
        public Builder operationTimeout(Duration value) {
            operationTimeout = value;
            return this;
        }

        /**
         * Sets how long one attempt to reach the service may take.
         *
         * @param value from 1 ms to 1 hour
         * @return this
         */
        public Builder connectTimeout(Duration value) {
            connectTimeout = value;
            return this;
        }

        /**
         * Sets the monotonic clock.
         *
         * @param value gives nanoseconds from an arbitrary origin
         * @return this
         */
        public Builder nanoClock(LongSupplier value) {
            nanoClock = value;
            return this;
        }

        /**
         * Sets the name of the client.
         *
         * @param value begins the names of its threads
         * @return this
         */
        public Builder clientName(String value) {
            clientName = value;
            return this;
        }

        /**
         * Sets who is told what a listener threw.
         *
         * @param value the receiver; must not throw
         * @return this
         */
        public Builder callbackErrorHandler(Consumer<Throwable> value) {
            callbackErrorHandler = value;
            return this;
        }

        /**
         * Sets who the client is. Never part of the URI, which ends up in logs.
         *
         * @param value user and password
         * @return this
         */
        public Builder credentials(Credentials value) {
            credentials = Optional.of(value);
            return this;
        }

        /**
         * Has connections encrypted.
         *
         * @param value the certificates
         * @return this
         */
        public Builder tls(TlsConfig value) {
            tls = Optional.of(value);
            return this;
        }

        /**
         * Checks the values and makes the configuration.
         *
         * @return the configuration
         * @throws IllegalArgumentException if values are out of range; the message lists all of them
         */
        public CoordinationConfig build() {
            return new CoordinationConfig(
                    callbackExecutor,
                    operationTimeout,
                    connectTimeout,
                    nanoClock,
                    clientName,
                    callbackErrorHandler,
                    credentials,
                    tls);
        }
    }
}
