package io.tidemark.coordination.spi;

import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.Secret;
import io.tidemark.coordination.TlsConfig;
import io.tidemark.coordination.TlsStore;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * The keys and certificates of a TLS configuration, as they were in its files when it was read. A back end reads them
 * anew for each connection, so that renewed ones are taken. Immutable. What fails here names the files, never what is
 * in them.
 */
public final class TlsMaterial {
    /** How long a file of certificates may be, in bytes. */
    private static final int FILE_SIZE_BYTES_MAX = 16 * 1024 * 1024;

    private final X509ExtendedTrustManager trust;
    private final Optional<KeyManagerFactory> keys;

    private TlsMaterial(X509ExtendedTrustManager trust, Optional<KeyManagerFactory> keys) {
        this.trust = trust;
        this.keys = keys;
    }

    /**
     * Reads the files. Blocks for as long as that takes.
     *
     * @param config names them
     * @return what is in them
     * @throws CoordinationException if a file cannot be read or used, or a password not be had
     */
    public static TlsMaterial read(TlsConfig config) {
        try {
            X509ExtendedTrustManager checking = trustManager(config.trust());
            return new TlsMaterial(
                    config.verifyHostname() ? checking : new HostBlindTrust(checking),
                    config.key().isPresent()
                            ? Optional.of(keyManagers(config.key().get()))
                            : Optional.empty());
        } catch (IOException | GeneralSecurityException | IllegalArgumentException unusable) {
            throw new CoordinationException(
                    "TLS files cannot be used: trust=" + name(config.trust()) + ", key=" + name(config.key())
                            + "; check that they exist, are readable, of the format given, and the password",
                    unusable);
        }
    }

    private static String name(Optional<TlsStore> store) {
        return store.map(given -> given.format() + " " + given.file()).orElse("none");
    }

    private static X509ExtendedTrustManager trustManager(Optional<TlsStore> store)
            throws IOException, GeneralSecurityException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store.isPresent() ? trustStore(store.get()) : null);
        for (TrustManager manager : factory.getTrustManagers()) {
            if (manager instanceof X509ExtendedTrustManager checking) {
                return checking;
            }
        }
        throw new GeneralSecurityException("the JDK gives no trust manager for certificates");
    }

    private static KeyStore trustStore(TlsStore store) throws IOException, GeneralSecurityException {
        if (store.format() == TlsStore.Format.PKCS12) {
            KeyStore read = pkcs12(store, password(store));
            for (String alias : Collections.list(read.aliases())) {
                if (read.isCertificateEntry(alias)) {
                    return read;
                }
            }
            throw new GeneralSecurityException(
                    "the file holds no trusted certificate; add one with keytool -importcert");
        }
        KeyStore trusted = emptyStore();
        int index = 0;
        for (Certificate certificate : pem(store).certificates()) {
            trusted.setCertificateEntry("trusted-" + index, certificate);
            index++;
        }
        return trusted;
    }

    private static KeyManagerFactory keyManagers(TlsStore store) throws IOException, GeneralSecurityException {
        char @Nullable [] password = password(store);
        char[] entryPassword = password == null ? new char[0] : password;
        KeyStore own;
        if (store.format() == TlsStore.Format.PKCS12) {
            own = pkcs12(store, password);
        } else {
            PemFile file = pem(store);
            List<Certificate> chain = file.certificates();
            PrivateKey key = file.privateKey(password);
            own = emptyStore();
            own.setKeyEntry("own", key, entryPassword, chain.toArray(Certificate[]::new));
        }
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(own, entryPassword);
        return factory;
    }

    private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private static KeyStore pkcs12(TlsStore store, char @Nullable [] password)
            throws IOException, GeneralSecurityException {
        KeyStore read = KeyStore.getInstance("PKCS12");
        read.load(new ByteArrayInputStream(SystemSeam.readFile(store.file(), FILE_SIZE_BYTES_MAX)), password);
        return read;
    }

    private static PemFile pem(TlsStore store) throws IOException {
        // What is not ASCII can only stand between the blocks.
        byte[] text = SystemSeam.readFile(store.file(), FILE_SIZE_BYTES_MAX);
        return new PemFile(new String(text, StandardCharsets.ISO_8859_1));
    }

    private static char @Nullable [] password(TlsStore store) {
        return store.password().map(Secret::reveal).map(String::toCharArray).orElse(null);
    }

    /**
     * Who decides about the certificates of the service.
     *
     * @return compares the host name if the connection asks for that, unless the configuration forbids it
     */
    public X509ExtendedTrustManager trustManager() {
        return trust;
    }

    /**
     * The client's own key and certificate.
     *
     * @return gives them to connections; empty if there are none
     */
    public Optional<KeyManagerFactory> keyManagers() {
        return keys;
    }

    /**
     * Makes what the JDK's own sockets take.
     *
     * @return a context for clients
     * @throws CoordinationException if the JDK has no TLS
     */
    public SSLContext context() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            KeyManager @Nullable [] own =
                    keys.map(KeyManagerFactory::getKeyManagers).orElse(null);
            context.init(own, new TrustManager[] {trust}, null);
            return context;
        } catch (GeneralSecurityException unusable) {
            throw new CoordinationException(
                    "the JDK cannot encrypt connections; see to its security settings", unusable);
        }
    }
}
