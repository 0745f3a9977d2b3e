package io.tidemark.coordination.zk;

import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.Credentials;
import io.tidemark.coordination.TlsConfig;
import io.tidemark.coordination.spi.TlsMaterial;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Who a client is, how its connections are encrypted, and to whom its nodes belong. Secrets and files are read anew for
 * each connection. Immutable.
 */
final class ZkSecurity {
    private static final String DIGEST = "digest";

    private final Optional<Credentials> credentials;
    private final Optional<TlsConfig> tls;
    private final ZkAcl acl;

    /**
     * Takes what the configuration says.
     *
     * @param config the configuration of the client
     */
    ZkSecurity(CoordinationConfig config) {
        this.credentials = config.credentials();
        this.tls = config.tls();
        this.acl = new ZkAcl(credentials.isPresent());
    }

    /** {@return the access lists of new nodes} */
    ZkAcl acl() {
        return acl;
    }

    /** {@return the settings of ZooKeeper's client} */
    ZkClientSettings settings() {
        return new ZkClientSettings(tls);
    }

    /**
     * Reads the files with keys and certificates.
     *
     * @return what is in them; empty for plain connections
     * @throws CoordinationException if they cannot be read or used
     */
    Optional<TlsMaterial> material() {
        return tls.map(TlsMaterial::read);
    }

    /**
     * Makes the proof of ZooKeeper's own scheme, which the client gives to each server before anything else.
     *
     * @return user and password, or null if the client has none or gives them in another way
     * @throws CoordinationException if the password cannot be had
     */
    byte @Nullable [] digest() {
        if (credentials.isEmpty() || credentials.get().method() != Credentials.Method.PASSWORD) {
            return null;
        }
        Credentials given = credentials.get();
        return (given.user() + ":" + given.password().reveal()).getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Tells a new client who it is, before it has connected.
     *
     * @param client the client
     * @param digest of {@link #digest}
     */
    void introduce(RevisionClient client, byte @Nullable [] digest) {
        if (digest != null) {
            client.addAuthInfo(DIGEST, digest);
        }
    }

    /** {@return the credentials for a SASL exchange on each new connection; empty for none} */
    Optional<Credentials> sasl() {
        return credentials.filter(given -> given.method() == Credentials.Method.SASL);
    }
}
