package io.tidemark.coordination.etcd;

import io.etcd.jetcd.api.AuthenticateRequest;
import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.Credentials;
import io.tidemark.coordination.Secret;
import io.tidemark.coordination.TlsConfig;
import io.tidemark.coordination.TlsStore;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

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
        TlsConfig tls = config.get();
        try {
            SslContextBuilder builder = GrpcSslContexts.configure(SslContextBuilder.forClient(), SslProvider.JDK);
            trust(builder, tls);
            if (tls.key().isPresent()) {
                key(builder, tls.key().get());
            }
            return Optional.of(builder.build());
        } catch (IOException | GeneralSecurityException | IllegalArgumentException unusable) {
            throw new CoordinationException(
                    "TLS files cannot be used: trust=" + name(tls.trust()) + ", key=" + name(tls.key())
                            + "; check that they exist, are readable, of the format given, and the password",
                    unusable);
        }
    }

    private static String name(Optional<TlsStore> store) {
        return store.map(given -> given.format() + " " + given.file()).orElse("none");
    }

    private static void trust(SslContextBuilder builder, TlsConfig tls) throws IOException, GeneralSecurityException {
        if (tls.verifyHostname() && tls.trust().isPresent() && tls.trust().get().format() == TlsStore.Format.PEM) {
            builder.trustManager(tls.trust().get().file().toFile());
            return;
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(tls.trust().isPresent() ? trustStore(tls.trust().get()) : null);
        if (tls.verifyHostname()) {
            builder.trustManager(factory);
            return;
        }
        for (TrustManager manager : factory.getTrustManagers()) {
            if (manager instanceof X509ExtendedTrustManager checking) {
                builder.trustManager(new HostBlindTrust(checking));
                return;
            }
        }
        throw new GeneralSecurityException("the JDK gives no trust manager for certificates");
    }

    private static KeyStore trustStore(TlsStore store) throws IOException, GeneralSecurityException {
        if (store.format() == TlsStore.Format.PKCS12) {
            return KeyStore.getInstance(store.file().toFile(), password(store));
        }
        return PemCertificates.trustStore(store.file());
    }

    private static void key(SslContextBuilder builder, TlsStore store) throws IOException, GeneralSecurityException {
        if (store.format() == TlsStore.Format.PEM) {
            String password = store.password().map(Secret::reveal).orElse(null);
            builder.keyManager(store.file().toFile(), store.file().toFile(), password);
            return;
        }
        char @Nullable [] password = password(store);
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(KeyStore.getInstance(store.file().toFile(), password), password);
        builder.keyManager(factory);
    }

    private static char @Nullable [] password(TlsStore store) {
        return store.password().map(Secret::reveal).map(String::toCharArray).orElse(null);
    }
}
