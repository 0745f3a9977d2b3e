package io.tidemark.coordination;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * A file with certificates, or with a private key and its certificates. Immutable; read by the back end when it
 * connects, not before.
 *
 * @param file where it is
 * @param format how it is written
 * @param password opens it, or the private key in it; empty if it is not protected
 */
public record TlsStore(Path file, Format format, Optional<Secret> password) {
    /** How a file with certificates is written. */
    public enum Format {
        /** A binary store, as {@code keytool} and {@code openssl pkcs12} make it. */
        PKCS12,
        /** Text blocks; a key store holds the private key (PKCS #8) and the chain of its certificate in one file. */
        PEM
    }

    /**
     * Checks the values.
     *
     * @param file where it is
     * @param format how it is written
     * @param password opens it
     */
    public TlsStore {
        Objects.requireNonNull(file, "file");
        Objects.requireNonNull(format, "format");
        Objects.requireNonNull(password, "password");
    }

    /**
     * A store without a password, whose format the file's name tells.
     *
     * @param file ends with {@code .p12} or {@code .pfx}, or with {@code .pem}, {@code .crt} or {@code .cer}
     * @return the store
     * @throws IllegalArgumentException if the name tells no format
     */
    public static TlsStore of(Path file) {
        return new TlsStore(file, formatOf(file), Optional.empty());
    }

    /**
     * A store with a password, whose format the file's name tells.
     *
     * @param file ends with {@code .p12} or {@code .pfx}, or with {@code .pem}, {@code .crt} or {@code .cer}
     * @param password opens it
     * @return the store
     * @throws IllegalArgumentException if the name tells no format
     */
    public static TlsStore of(Path file, Secret password) {
        return new TlsStore(file, formatOf(file), Optional.of(password));
    }

    private static Format formatOf(Path file) {
        String name = file.toString().toLowerCase(Locale.ROOT);
        if (name.endsWith(".p12") || name.endsWith(".pfx")) {
            return Format.PKCS12;
        }
        if (name.endsWith(".pem") || name.endsWith(".crt") || name.endsWith(".cer")) {
            return Format.PEM;
        }
        throw new IllegalArgumentException("the name of a TLS file must end with .p12 or .pfx (PKCS12) or with .pem,"
                + " .crt or .cer (PEM), or its format be given: file=" + file);
    }
}
