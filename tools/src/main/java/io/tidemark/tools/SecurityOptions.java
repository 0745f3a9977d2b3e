package io.tidemark.tools;

import io.tidemark.coordination.CoordinationSecurity;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The options by which a command tells a coordination service who it is, and how to encrypt. All secrets are in files:
 * what stands on a command line can be read by everybody on the machine.
 */
final class SecurityOptions {
    @Option(
            names = "--credentials-file",
            paramLabel = "FILE",
            description = "Who we are at the coordination service: lines user=NAME, then password=TEXT or"
                    + " password.file=PATH, and method=password or method=sasl.")
    private @Nullable String credentials;

    @Option(names = "--tls", description = "Encrypt the connections to the coordination service.")
    private boolean tls;

    @Option(
            names = "--tls-trust",
            paramLabel = "FILE",
            description = "Who may vouch for the coordination service, .pem or .p12 (default: whom the JDK trusts).")
    private @Nullable String trust;

    @Option(names = "--tls-trust-password-file", paramLabel = "FILE", description = "Opens the file of --tls-trust.")
    private @Nullable String trustPassword;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "Our own key and certificate, .pem or .p12.")
    private @Nullable String key;

    @Option(names = "--tls-key-password-file", paramLabel = "FILE", description = "Opens the file of --tls-key.")
    private @Nullable String keyPassword;

    @Option(names = "--tls-any-host", description = "Do not compare the host name in the service's certificate.")
    private boolean anyHost;

    /** Filled by the command line. */
    SecurityOptions() {}

    /**
     * The options as settings.
     *
     * @return the values by the names of {@link CoordinationSecurity#SETTINGS}
     */
    Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        put(settings, "credentials.file", credentials);
        put(settings, "tls", tls ? "true" : null);
        put(settings, "tls.trust.file", trust);
        put(settings, "tls.trust.password.file", trustPassword);
        put(settings, "tls.key.file", key);
        put(settings, "tls.key.password.file", keyPassword);
        put(settings, "tls.verify.hostname", anyHost ? "false" : null);
        return settings;
    }

    private static void put(Map<String, String> settings, String name, @Nullable String value) {
        if (value != null) {
            settings.put(name, value);
        }
    }

    /**
     * What the options say.
     *
     * @return who we are and how to encrypt
     * @throws IllegalArgumentException if they make no sense or a file cannot be used
     */
    CoordinationSecurity security() {
        return CoordinationSecurity.from(settings());
    }
}
