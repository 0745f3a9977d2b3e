package io.tidemark.coordination;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Credentials and TLS: what they take, and that no secret is ever seen in a text. */
final class SecurityConfigTest {
    private static final String HIDDEN = "hush-Ünique-91";

    @TempDir
    Path folder;

    private static String everything(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text, true));
        return text.toString();
    }

    // The texts of everything that carries a secret, down to the whole configuration.
    @Test
    void shouldHideSecretsInAllTexts() throws Exception {
        Path file = Files.writeString(folder.resolve("password"), HIDDEN);
        for (Secret secret : new Secret[] {Secret.of(HIDDEN), Secret.from(() -> HIDDEN), Secret.file(file)}) {
            assertEquals(HIDDEN, secret.reveal());
            TlsStore store = TlsStore.of(Path.of("key.p12"), secret);
            CoordinationConfig config = CoordinationConfig.builder()
                    .credentials(Credentials.sasl("alice", secret))
                    .tls(TlsConfig.ofTrust(store).withKey(store))
                    .build();
            String text = config.toString();
            assertTrue(text.contains("alice"), text);
            assertFalse(text.contains(HIDDEN), text);
        }
    }

    @Test
    void shouldHideSecretsInAllFailures() throws Exception {
        Secret failing = Secret.from(() -> {
            throw new IllegalStateException("vault said " + HIDDEN);
        });
        CoordinationException thrown = assertThrows(CoordinationException.class, failing::reveal);
        assertEquals(
                "a secret cannot be read: supplier, thrown=java.lang.IllegalStateException; see to the source of the"
                        + " secret",
                thrown.getMessage());
        assertFalse(everything(thrown).contains(HIDDEN));

        IllegalArgumentException pair = assertThrows(
                IllegalArgumentException.class, () -> Credentials.password("alice:" + HIDDEN, Secret.of(HIDDEN)));
        assertFalse(everything(pair).contains(HIDDEN));

        Path longFile = Files.writeString(folder.resolve("long"), HIDDEN.repeat(Secret.FILE_SIZE_BYTES_MAX));
        CoordinationException tooLong = assertThrows(CoordinationException.class, Secret.file(longFile)::reveal);
        assertFalse(everything(tooLong).contains(HIDDEN));
    }

    // A file is read at each use, and a line end behind the password does not count.
    @Test
    void shouldReadTheFileAnew() throws Exception {
        Path file = Files.writeString(folder.resolve("password"), "first\r\n");
        Secret secret = Secret.file(file);
        assertEquals("first", secret.reveal());
        Files.writeString(file, " second ");
        assertEquals(" second ", secret.reveal());
        Files.writeString(file, "\n");
        CoordinationException empty = assertThrows(CoordinationException.class, secret::reveal);
        assertEquals(
                "a secret is empty: file=" + file.toAbsolutePath() + "; give one or leave it out", empty.getMessage());
        Files.delete(file);
        CoordinationException gone = assertThrows(CoordinationException.class, secret::reveal);
        assertEquals(
                "a secret cannot be read: file=" + file.toAbsolutePath()
                        + "; check that the file exists, is readable and small",
                gone.getMessage());
    }

    @Test
    void shouldReadAFileOfTheLargestSize() throws Exception {
        Path file = Files.writeString(folder.resolve("password"), "p".repeat(Secret.FILE_SIZE_BYTES_MAX));
        assertEquals(Secret.FILE_SIZE_BYTES_MAX, Secret.file(file).reveal().length());
    }

    @Test
    void shouldAskTheSupplierAtEachUse() {
        AtomicInteger calls = new AtomicInteger();
        Secret secret = Secret.from(() -> "p" + calls.incrementAndGet());
        assertEquals("p1", secret.reveal());
        assertEquals("p2", secret.reveal());
        assertNotEquals(Secret.of("same"), Secret.of("same"));
    }

    @Test
    void shouldTakeTheFormatFromTheName() {
        assertEquals(
                TlsStore.Format.PKCS12, TlsStore.of(Path.of("/tls/Key.P12")).format());
        assertEquals(TlsStore.Format.PKCS12, TlsStore.of(Path.of("key.pfx")).format());
        assertEquals(TlsStore.Format.PEM, TlsStore.of(Path.of("ca.crt")).format());
        assertEquals(TlsStore.Format.PEM, TlsStore.of(Path.of("ca.pem")).format());
        IllegalArgumentException unknown =
                assertThrows(IllegalArgumentException.class, () -> TlsStore.of(Path.of("ca.jks")));
        assertEquals(
                "the name of a TLS file must end with .p12 or .pfx (PKCS12) or with .pem, .crt or .cer (PEM),"
                        + " or its format be given: file=ca.jks",
                unknown.getMessage());
    }

    @Test
    void shouldRefuseWhatMakesNoSense() {
        assertThrows(IllegalArgumentException.class, () -> Secret.of(""));
        assertThrows(IllegalArgumentException.class, () -> Credentials.password(" ", Secret.of("x")));
        assertThrows(IllegalArgumentException.class, () -> Credentials.password("a\nb", Secret.of("x")));
    }

    @Test
    void shouldVerifyTheHostUnlessToldNot() {
        assertTrue(TlsConfig.ofJdkTrust().verifyHostname());
        assertEquals(Optional.empty(), TlsConfig.ofJdkTrust().trust());
        assertFalse(TlsConfig.ofTrust(TlsStore.of(Path.of("ca.pem")))
                .withoutHostnameCheck()
                .verifyHostname());
    }
}
