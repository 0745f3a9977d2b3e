package io.tidemark.coordination.etcd;

import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.CoordinationProvider;
import io.tidemark.coordination.Credentials;
import java.net.URI;

/**
 * Opens {@code etcd://h1:2379,h2:2379/prefix}. The prefix may be left out; it stands before each key in etcd. Any
 * thread.
 *
 * <p>How the configuration is used: the connect timeout is what one member is given to accept a connection, take the
 * password and answer a first read; then the next member is tried. Credentials are a user of etcd and its password;
 * TLS takes PEM and PKCS12 files.
 */
public final class EtcdCoordinationProvider implements CoordinationProvider {
    /** Makes the provider; it has no state. */
    public EtcdCoordinationProvider() {}

    @Override
    public String scheme() {
        return "etcd";
    }

    @Override
    public Coordination open(URI uri, CoordinationConfig config) {
        config.credentials()
                .filter(given -> given.method() != Credentials.Method.PASSWORD)
                .ifPresent(other -> {
                    throw new IllegalArgumentException("etcd knows users by their passwords only: method="
                            + other.method() + "; use Credentials.password");
                });
        return new EtcdCoordination(EtcdAddress.parse(uri), config);
    }
}
