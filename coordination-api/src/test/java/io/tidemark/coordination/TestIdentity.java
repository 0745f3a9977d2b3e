package io.tidemark.coordination;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A private key with a certificate that vouches for itself, made by the JDK's keytool, in all formats of a folder. For
 * tests of any back end.
 */
public record TestIdentity(Path folder, String name) {
    /** Opens the PKCS12 file. */
    public static final String PASSWORD = "changeit";

    /** Makes an identity whose certificate names a host. */
    public static TestIdentity create(Path folder, String name, String subjectAlternativeName) {
        TestIdentity made = new TestIdentity(folder, name);
        try {
            made.runKeytool(subjectAlternativeName);
            KeyStore store = KeyStore.getInstance(made.pkcs12().toFile(), PASSWORD.toCharArray());
            String certificate = pem("CERTIFICATE", store.getCertificate(name).getEncoded());
            Key key = store.getKey(name, PASSWORD.toCharArray());
            String privateKey = pem("PRIVATE KEY", key.getEncoded());
            Files.writeString(made.certificatePem(), certificate);
            Files.writeString(made.keyPem(), privateKey);
            Files.writeString(made.bothPem(), certificate + privateKey);
            KeyStore trusting = KeyStore.getInstance("PKCS12");
            trusting.load(null, null);
            trusting.setCertificateEntry(name, store.getCertificate(name));
            try (OutputStream out = Files.newOutputStream(made.trustPkcs12())) {
                trusting.store(out, PASSWORD.toCharArray());
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("identity cannot be written: name=" + name, failed);
        } catch (GeneralSecurityException failed) {
            throw new AssertionError("identity cannot be made: name=" + name, failed);
        }
        return made;
    }

    private void runKeytool(String subjectAlternativeName) throws IOException {
        String keytool =
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        Path log = folder.resolve(name + ".log");
        Process process = new ProcessBuilder(List.of(
                        keytool,
                        "-genkeypair",
                        "-alias",
                        name,
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        "san=" + subjectAlternativeName,
                        "-validity",
                        "2",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        pkcs12().toString(),
                        "-storepass",
                        PASSWORD))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new AssertionError("keytool failed: output=" + Files.readString(log));
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while keytool ran", interrupted);
        }
    }

    private static String pem(String type, byte[] bytes) {
        Base64.Encoder encoder = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));
        return "-----BEGIN " + type + "-----\n" + encoder.encodeToString(bytes) + "\n-----END " + type + "-----\n";
    }

    /** Key and certificate as PKCS12. */
    public Path pkcs12() {
        return folder.resolve(name + ".p12");
    }

    /** The certificate alone, as PKCS12. */
    public Path trustPkcs12() {
        return folder.resolve(name + "-trust.p12");
    }

    /** The certificate alone. */
    public Path certificatePem() {
        return folder.resolve(name + ".pem");
    }

    /** The private key alone, in PKCS #8. */
    public Path keyPem() {
        return folder.resolve(name + "-key.pem");
    }

    /** Key and certificate in one file. */
    public Path bothPem() {
        return folder.resolve(name + "-both.pem");
    }
}
