package io.tidemark.coordination;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Credentials and TLS from files and settings. */
final class CoordinationSecurityTest {
    private static final String HIDDEN = "hush-77";

    @TempDir
    Path folder;

    private Path write(String name, String text) throws Exception {
        return Files.writeString(folder.resolve(name), text);
    }

    // The password is read at each use, so that it can be changed; neither is ever shown.
    @Test
    void shouldReadCredentialsFromAFile() throws Exception {
        Path file = write("credentials", "user=alice\npassword=" + HIDDEN + "\n");
        Credentials credentials = Credentials.file(file);
        assertEquals("alice", credentials.user());
        assertEquals(Credentials.Method.PASSWORD, credentials.method());
        assertEquals(HIDDEN, credentials.password().reveal());
        assertFalse(credentials.toString().contains(HIDDEN));
        write("credentials", "user=alice\npassword=changed\n");
        assertEquals("changed", credentials.password().reveal());
    }

    @Test
    void shouldFindThePasswordBesideTheFile() throws Exception {
        write("secret", HIDDEN + "\n");
        Credentials credentials =
                Credentials.file(write("credentials", "user=alice\npassword.file=secret\nmethod=sasl\n"));
        assertEquals(Credentials.Method.SASL, credentials.method());
        assertEquals(HIDDEN, credentials.password().reveal());
    }

    // A file that is not as it should be may hold the password anywhere: nothing of it is shown.
    @Test
    void shouldShowNothingOfAnUnusableFile() throws Exception {
        for (String text : new String[] {
            HIDDEN,
            "password=" + HIDDEN,
            "user=alice",
            "user=alice\npassword=" + HIDDEN + "\nmethod=" + HIDDEN,
            "user=alice\npassword=" + HIDDEN + "\npassword.file=x",
            "user=alice:" + HIDDEN + "\npassword=" + HIDDEN,
            "user=alice\npassword=\\u" + HIDDEN
        }) {
            Path file = write("credentials", text);
            IllegalArgumentException refused =
                    assertThrows(IllegalArgumentException.class, () -> Credentials.file(file), text);
            StringWriter shown = new StringWriter();
            refused.printStackTrace(new PrintWriter(shown, true));
            assertFalse(shown.toString().contains(HIDDEN), shown.toString());
        }
        IllegalArgumentException missing =
                assertThrows(IllegalArgumentException.class, () -> Credentials.file(folder.resolve("none")));
        assertTrue(
                String.valueOf(missing.getMessage())
                        .contains(folder.resolve("none").toString()),
                missing.getMessage());
    }

    @Test
    void shouldTakeAllSettings() throws Exception {
        write("credentials", "user=alice\npassword=" + HIDDEN + "\n");
        write("trust-password", HIDDEN);
        CoordinationSecurity security = CoordinationSecurity.from(Map.of(
                "credentials.file", folder.resolve("credentials").toString(),
                "tls.trust.file", "ca.p12",
                "tls.trust.password.file", folder.resolve("trust-password").toString(),
                "tls.key.file", "own.pem",
                "tls.verify.hostname", "false"));
        CoordinationConfig config =
                security.applyTo(CoordinationConfig.builder()).build();
        assertEquals("alice", config.credentials().orElseThrow().user());
        TlsConfig tls = config.tls().orElseThrow();
        TlsStore trust = tls.trust().orElseThrow();
        assertEquals(Path.of("ca.p12"), trust.file());
        assertEquals(HIDDEN, trust.password().orElseThrow().reveal());
        assertEquals(TlsStore.Format.PEM, tls.key().orElseThrow().format());
        assertFalse(tls.verifyHostname());
        assertFalse(security.toString().contains(HIDDEN));
    }

    @Test
    void shouldEncryptOnlyWhenAsked() {
        assertEquals(CoordinationSecurity.none(), CoordinationSecurity.from(Map.of()));
        assertEquals(CoordinationSecurity.none(), CoordinationSecurity.from(Map.of("tls", "false")));
        assertEquals(
                TlsConfig.ofJdkTrust(),
                CoordinationSecurity.from(Map.of("tls", "true")).tls().orElseThrow());
    }

    @Test
    void shouldListAllProblemsOfSettings() {
        IllegalArgumentException refused = assertThrows(
                IllegalArgumentException.class,
                () -> CoordinationSecurity.from(
                        Map.of("tls.key", "x", "tls.verify.hostname", "yes", "credentials.file", " ")));
        assertTrue(
                String.valueOf(refused.getMessage()).contains("unknown setting: name=tls.key"), refused.getMessage());
        assertTrue(
                String.valueOf(refused.getMessage()).contains("tls.verify.hostname must be true or false"),
                refused.getMessage());
        assertTrue(
                String.valueOf(refused.getMessage()).contains("credentials.file must be a path"), refused.getMessage());
        assertThrows(
                IllegalArgumentException.class,
                () -> CoordinationSecurity.from(Map.of("tls", "false", "tls.key.file", "k.pem")));
        assertThrows(
                IllegalArgumentException.class, () -> CoordinationSecurity.from(Map.of("tls.key.password.file", "p")));
    }
}
