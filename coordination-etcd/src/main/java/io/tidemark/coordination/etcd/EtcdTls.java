package io.tidemark.coordination.etcd;

import io.etcd.jetcd.api.AuthenticateRequest;
import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.Credentials;
import io.tidemark.coordination.TlsConfig;
import io.tidemark.coordination.spi.TlsMaterial;
import java.util.Optional;
import javax.net.ssl.SSLException;

/**
 * Reads the files of a TLS configuration, anew for each attempt to connect, so that renewed certificates are taken.
 * Immutable. What fails here names the file, never what is in it.
 */
final class EtcdTls {
    private final Optional<TlsConfig> config;

    /**
     * Keeps the configuration.
     *
     * @param config how connections are encrypted; empty for plain ones
     */
    EtcdTls(Optional<TlsConfig> config) {
        this.config = config;
    }

    /**
     * Tells etcd the user and the password.
     *
     * @param credentials who the client is
     * @return the request
     * @throws CoordinationException if the password cannot be had
     */
    static AuthenticateRequest authentication(Credentials credentials) {
        return AuthenticateRequest.newBuilder()
                .setName(credentials.user())
                .setPassword(credentials.password().reveal())
                .build();
    }

    /**
     * Reads the files.
     *
     * @return what encrypts, or empty for plain connections
     * @throws CoordinationException if a file cannot be read or used
     */
    Optional<SslContext> context() {
        if (config.isEmpty()) {
            return Optional.empty();
        }
        TlsMaterial material = TlsMaterial.read(config.get());
        try {
            SslContextBuilder builder = GrpcSslContexts.configure(SslContextBuilder.forClient(), SslProvider.JDK)
                    .trustManager(material.trustManager());
            material.keyManagers().ifPresent(builder::keyManager);
            return Optional.of(builder.build());
        } catch (SSLException unusable) {
            throw new CoordinationException(
                    "the JDK cannot encrypt connections to etcd; see to its security settings", unusable);
        }
    }
}
