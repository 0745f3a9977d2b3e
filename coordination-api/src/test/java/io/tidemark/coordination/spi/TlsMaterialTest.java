package io.tidemark.coordination.spi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.Secret;
import io.tidemark.coordination.TestIdentity;
import io.tidemark.coordination.TlsConfig;
import io.tidemark.coordination.TlsStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivateKey;
import javax.net.ssl.SSLContext;
import javax.net.ssl.X509ExtendedKeyManager;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys and certificates from all formats of files, and what is told of those that cannot be used. */
final class TlsMaterialTest {
    private static final String HIDDEN = "hush-55";
    /** Made by openssl genpkey for this test alone; it opens nothing. */
    private static final String OPEN_KEY = """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQge5GRUWbZEdMYxFkh
            VOhE+bwj9HOQDRZihKsf2tj8wGShRANCAASi/2Jxy3M2JmgeIL7veF+5cjgTbKBW
            zEsMJvHprwWzFTjqpwWdzxl79194uuvdMwzVYWyaGhtVl63/FMIXESZ5
            -----END PRIVATE KEY-----
            """;
    /** The same by openssl pkcs8 -topk8 -v2 aes-256-cbc; the password is that above. */
    private static final String PROTECTED_KEY = """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhTrBf+iVFyvAICCAAw
            DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEELfwriCxtxLa9wppbIyfnHkEgZBb
            pupERXBbGhO92uS7hFBvSOAX8vXw39l7yN73WJfIysmsHARb/cH5PG20WdvJvbyP
            N5rFwMcsVg5kVtzP6VFOLapk7KWut14GxT4Ig+QttAIwKaU3yTjcmyZGQtZo4uvp
            wqL0adhDoKw7IpE+HqjAD45kuFxtmPoEJleGYm5aGejow5il3L8eSHt+JyzlzQ0=
            -----END ENCRYPTED PRIVATE KEY-----
            """;

    @TempDir
    Path folder;

    private TestIdentity identity;

    @BeforeEach
    void make() {
        identity = TestIdentity.create(folder, "own", "ip:127.0.0.1");
    }

    private static PrivateKey key(TlsStore store) {
        TlsMaterial material = TlsMaterial.read(TlsConfig.ofJdkTrust().withKey(store));
        X509ExtendedKeyManager keys =
                (X509ExtendedKeyManager) material.keyManagers().orElseThrow().getKeyManagers()[0];
        SSLContext context = material.context();
        assertTrue(context.getSocketFactory().getDefaultCipherSuites().length > 0);
        String alias = keys.getClientAliases("EC", null)[0];
        assertEquals(1, keys.getCertificateChain(alias).length);
        return keys.getPrivateKey(alias);
    }

    private String problem(TlsConfig config) {
        return String.valueOf(assertThrows(CoordinationException.class, () -> TlsMaterial.read(config))
                .getMessage());
    }

    private static String causes(Throwable failure) {
        StringBuilder text = new StringBuilder();
        for (Throwable each = failure; each != null; each = each.getCause()) {
            text.append(each).append('\n');
        }
        return text.toString();
    }

    // The same key, from PKCS12 and from PEM.
    @Test
    void shouldReadAKeyFromBothFormats() {
        PrivateKey expected = key(TlsStore.of(identity.pkcs12(), Secret.of(TestIdentity.PASSWORD)));
        assertArrayEquals(
                expected.getEncoded(), key(TlsStore.of(identity.bothPem())).getEncoded());
    }

    // A key that a password protects is the same as without; a wrong password opens nothing and is not shown.
    @Test
    void shouldOpenAProtectedKey() throws Exception {
        String certificate = Files.readString(identity.certificatePem());
        Path open = Files.writeString(folder.resolve("open.pem"), certificate + OPEN_KEY);
        Path file = Files.writeString(folder.resolve("protected.pem"), certificate + PROTECTED_KEY);
        assertArrayEquals(
                key(TlsStore.of(open)).getEncoded(),
                key(TlsStore.of(file, Secret.of(HIDDEN))).getEncoded());
        for (TlsStore closed : new TlsStore[] {TlsStore.of(file), TlsStore.of(file, Secret.of("wrong-" + HIDDEN))}) {
            CoordinationException refused = assertThrows(
                    CoordinationException.class,
                    () -> TlsMaterial.read(TlsConfig.ofJdkTrust().withKey(closed)));
            assertTrue(String.valueOf(refused.getMessage()).contains("protected.pem"), refused.getMessage());
            assertTrue(!causes(refused).contains(HIDDEN), causes(refused));
        }
    }

    @Test
    void shouldTrustAllCertificatesOfAFile() throws Exception {
        TestIdentity other = TestIdentity.create(folder, "other", "ip:127.0.0.1");
        Path bundle = folder.resolve("bundle.crt");
        Files.writeString(
                bundle,
                "# ours\n" + Files.readString(identity.certificatePem()) + "# and theirs\n"
                        + Files.readString(other.certificatePem()));
        TlsMaterial material = TlsMaterial.read(TlsConfig.ofTrust(TlsStore.of(bundle)));
        assertEquals(2, material.trustManager().getAcceptedIssuers().length);
        assertTrue(material.keyManagers().isEmpty());
        TlsConfig blind = TlsConfig.ofTrust(TlsStore.of(bundle)).withoutHostnameCheck();
        assertEquals(2, TlsMaterial.read(blind).trustManager().getAcceptedIssuers().length);
    }

    @Test
    void shouldTellWhichFileCannotBeUsed() throws Exception {
        Path empty = Files.writeString(folder.resolve("empty.pem"), "nothing");
        assertTrue(problem(TlsConfig.ofTrust(TlsStore.of(empty))).contains("trust=PEM " + empty));
        TlsConfig noKey = TlsConfig.ofJdkTrust().withKey(TlsStore.of(identity.certificatePem()));
        assertTrue(problem(noKey).contains("key=PEM " + identity.certificatePem()));
        TlsStore closed = TlsStore.of(identity.pkcs12(), Secret.of("wrong"));
        assertTrue(problem(TlsConfig.ofTrust(closed)).contains("trust=PKCS12 " + identity.pkcs12()));
        // A store with a private key vouches for nobody.
        TlsStore own = TlsStore.of(identity.pkcs12(), Secret.of(TestIdentity.PASSWORD));
        assertTrue(problem(TlsConfig.ofTrust(own)).contains("trust=PKCS12 " + identity.pkcs12()));
        Path missing = folder.resolve("missing.p12");
        assertTrue(problem(TlsConfig.ofTrust(TlsStore.of(missing))).contains(missing.toString()));
    }

    // A key in the older forms is told how to be converted.
    @Test
    void shouldTellHowToConvertAnOldKey() throws Exception {
        String old = Files.readString(identity.bothPem()).replace("PRIVATE KEY", "EC PRIVATE KEY");
        Path file = Files.writeString(folder.resolve("old.pem"), old);
        CoordinationException refused = assertThrows(
                CoordinationException.class,
                () -> TlsMaterial.read(TlsConfig.ofJdkTrust().withKey(TlsStore.of(file))));
        assertTrue(causes(refused).contains("openssl pkcs8 -topk8"), causes(refused));
    }
}
