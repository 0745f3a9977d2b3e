package io.tidemark.coordination.etcd;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;

/** Reads the certificates of a PEM file into a trust store. Pure but for the file. */
final class PemCertificates {
    private PemCertificates() {}

    /**
     * Reads a file.
     *
     * @param file PEM text with one certificate or more
     * @return a store that trusts them
     * @throws IOException if it cannot be read
     * @throws GeneralSecurityException if it is not PEM
     */
    static KeyStore trustStore(Path file) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream text = new FileInputStream(file.toFile())) {
            int index = 0;
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509").generateCertificates(text)) {
                store.setCertificateEntry("trusted-" + index, certificate);
                index++;
            }
        }
        return store;
    }
}
