package io.tidemark.coordination;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Who a client is at its coordination service, and how it encrypts: what a program hands on to the clients that it
 * opens. Immutable; shows no secret in {@link #toString}.
 *
 * @param credentials who the client is; empty if the service does not ask
 * @param tls how connections are encrypted; empty for plain ones
 */
public record CoordinationSecurity(Optional<Credentials> credentials, Optional<TlsConfig> tls) {
    private static final String CREDENTIALS_FILE = "credentials.file";
    private static final String TLS = "tls";
    private static final String TRUST_FILE = "tls.trust.file";
    private static final String TRUST_PASSWORD_FILE = "tls.trust.password.file";
    private static final String KEY_FILE = "tls.key.file";
    private static final String KEY_PASSWORD_FILE = "tls.key.password.file";
    private static final String VERIFY_HOSTNAME = "tls.verify.hostname";

    /** The names of all settings that {@link #from} takes, in order. */
    public static final List<String> SETTINGS = List.of(
            CREDENTIALS_FILE, TLS, TRUST_FILE, TRUST_PASSWORD_FILE, KEY_FILE, KEY_PASSWORD_FILE, VERIFY_HOSTNAME);

    /**
     * Checks the values.
     *
     * @param credentials who the client is
     * @param tls how connections are encrypted
     */
    public CoordinationSecurity {
        Objects.requireNonNull(credentials, "credentials");
        Objects.requireNonNull(tls, "tls");
    }

    /**
     * No credentials and plain connections.
     *
     * @return the configuration
     */
    public static CoordinationSecurity none() {
        return new CoordinationSecurity(Optional.empty(), Optional.empty());
    }

    /**
     * The same with credentials.
     *
     * @param value who the client is
     * @return the configuration
     */
    public CoordinationSecurity with(Credentials value) {
        return new CoordinationSecurity(Optional.of(value), tls);
    }

    /**
     * The same with encryption.
     *
     * @param value the certificates
     * @return the configuration
     */
    public CoordinationSecurity with(TlsConfig value) {
        return new CoordinationSecurity(credentials, Optional.of(value));
    }

    /**
     * Reads settings as they stand in a file of properties or on a command line. {@code credentials.file}: a file of
     * {@link Credentials#file}. {@code tls}: true or false; true if any of the others is there. {@code tls.trust.file}:
     * the certificates of those who may vouch for the service, else those that the JDK trusts. {@code tls.key.file}:
     * the client's own key and certificate. {@code tls.trust.password.file} and {@code tls.key.password.file}: files
     * with the passwords of the two. {@code tls.verify.hostname}: true or false, true unless set.
     *
     * @param settings the values by name
     * @return the configuration
     * @throws IllegalArgumentException if a name is unknown, a value makes no sense, or the file of the credentials
     *     cannot be used; the message lists all problems
     */
    public static CoordinationSecurity from(Map<String, String> settings) {
        List<String> problems = new ArrayList<>();
        for (String name : new TreeSet<>(settings.keySet())) {
            if (!SETTINGS.contains(name)) {
                problems.add("unknown setting: name=" + name + ", known=" + SETTINGS);
            }
        }
        Optional<Credentials> credentials = Optional.empty();
        Optional<TlsConfig> tls = Optional.empty();
        try {
            credentials = path(settings, CREDENTIALS_FILE).map(Credentials::file);
        } catch (IllegalArgumentException unusable) {
            problems.add(unusable.getMessage());
        }
        try {
            tls = tls(settings);
        } catch (IllegalArgumentException unusable) {
            problems.add(unusable.getMessage());
        }
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", problems));
        }
        return new CoordinationSecurity(credentials, tls);
    }

    private static Optional<TlsConfig> tls(Map<String, String> settings) {
        boolean isNamed = settings.keySet().stream().anyMatch(name -> name.startsWith(TLS + "."));
        if (!isTrue(settings, TLS, isNamed)) {
            if (isNamed) {
                throw new IllegalArgumentException(
                        "tls=false, and yet there are settings of it; leave one of them out");
            }
            return Optional.empty();
        }
        Optional<TlsStore> trust = store(settings, TRUST_FILE, TRUST_PASSWORD_FILE);
        Optional<TlsStore> key = store(settings, KEY_FILE, KEY_PASSWORD_FILE);
        return Optional.of(new TlsConfig(trust, key, isTrue(settings, VERIFY_HOSTNAME, true)));
    }

    private static Optional<TlsStore> store(Map<String, String> settings, String name, String passwordName) {
        Optional<Path> file = path(settings, name);
        Optional<Secret> password = path(settings, passwordName).map(Secret::file);
        if (file.isEmpty() && password.isPresent()) {
            throw new IllegalArgumentException(passwordName + " is set, but " + name + " is not");
        }
        return file.map(at -> password.isPresent() ? TlsStore.of(at, password.get()) : TlsStore.of(at));
    }

    private static Optional<Path> path(Map<String, String> settings, String name) {
        String text = settings.get(name);
        if (text == null) {
            return Optional.empty();
        }
        try {
            if (!text.isBlank()) {
                return Optional.of(Path.of(text.strip()));
            }
        } catch (InvalidPathException notAPath) {
            throw new IllegalArgumentException(name + " must be a path: " + name + "=" + text, notAPath);
        }
        throw new IllegalArgumentException(name + " must be a path, but is empty");
    }

    private static boolean isTrue(Map<String, String> settings, String name, boolean otherwise) {
        String text = settings.get(name);
        if (text == null) {
            return otherwise;
        }
        return switch (text.strip()) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException(name + " must be true or false: " + name + "=" + text);
        };
    }

    /**
     * Adds this to the configuration of a client.
     *
     * @param builder the configuration
     * @return the builder
     */
    public CoordinationConfig.Builder applyTo(CoordinationConfig.Builder builder) {
        credentials.ifPresent(builder::credentials);
        tls.ifPresent(builder::tls);
        return builder;
    }
}
