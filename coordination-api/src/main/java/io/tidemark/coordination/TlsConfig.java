package io.tidemark.coordination;

import java.util.Objects;
import java.util.Optional;

/**
 * How a client encrypts its connections to a coordination service. Immutable.
 *
 * @param trust the certificates of those who may vouch for the service; empty for those that the JDK trusts
 * @param key the client's own private key and certificate, for a service that asks for them; empty for none
 * @param verifyHostname whether the service's certificate must name the host that was dialled; true unless a test
 *     needs otherwise
 */
public record TlsConfig(Optional<TlsStore> trust, Optional<TlsStore> key, boolean verifyHostname) {
    /**
     * Checks the values.
     *
     * @param trust the certificates that are trusted
     * @param key the client's own
     * @param verifyHostname whether host names are compared
     */
    public TlsConfig {
        Objects.requireNonNull(trust, "trust");
        Objects.requireNonNull(key, "key");
    }

    /**
     * Encryption to a service that the JDK trusts.
     *
     * @return the configuration
     */
    public static TlsConfig ofJdkTrust() {
        return new TlsConfig(Optional.empty(), Optional.empty(), true);
    }

    /**
     * Encryption to a service that one of some certificates vouches for.
     *
     * @param trust the certificates
     * @return the configuration
     */
    public static TlsConfig ofTrust(TlsStore trust) {
        return new TlsConfig(Optional.of(trust), Optional.empty(), true);
    }

    /**
     * The same with a key and certificate by which the client proves who it is.
     *
     * @param own the private key and its certificates
     * @return the configuration
     */
    public TlsConfig withKey(TlsStore own) {
        return new TlsConfig(trust, Optional.of(own), verifyHostname);
    }

    /**
     * The same without a look at the host name in the service's certificate.
     *
     * @return the configuration
     */
    public TlsConfig withoutHostnameCheck() {
        return new TlsConfig(trust, key, false);
    }
}
