package io.tidemark.coordination;

import java.nio.file.Path;
import java.util.Objects;

/**
 * Who a client is at its coordination service. Immutable; {@link #toString} does not show the password.
 *
 * @param user the name, without {@code ':'} and control characters
 * @param password the password, asked for at each connection
 * @param method how the service is told
 */
public record Credentials(String user, Secret password, Method method) {
    /** How a service is told who the client is. */
    public enum Method {
        /** The service's own user and password: ZooKeeper's {@code digest} scheme, etcd's users. */
        PASSWORD,
        /** SASL with DIGEST-MD5, on ZooKeeper only. */
        SASL
    }

    /**
     * Checks the values.
     *
     * @param user the name
     * @param password the password
     * @param method how the service is told
     * @throws IllegalArgumentException if the name is empty or holds characters that no service takes
     */
    public Credentials {
        Objects.requireNonNull(password, "password");
        Objects.requireNonNull(method, "method");
        if (user.isBlank() || user.indexOf(':') >= 0 || user.chars().anyMatch(Character::isISOControl)) {
            // The name is not shown: what holds a ':' may be a user with its password.
            throw new IllegalArgumentException(
                    "the user must be a name without ':' and control characters; give the password apart from it");
        }
    }

    /**
     * A user with a password.
     *
     * @param user the name
     * @param password the password
     * @return credentials of {@link Method#PASSWORD}
     * @throws IllegalArgumentException if the name is empty or holds characters that no service takes
     */
    public static Credentials password(String user, Secret password) {
        return new Credentials(user, password, Method.PASSWORD);
    }

    /**
     * A user with a password for SASL.
     *
     * @param user the name
     * @param password the password
     * @return credentials of {@link Method#SASL}
     * @throws IllegalArgumentException if the name is empty or holds characters that no service takes
     */
    public static Credentials sasl(String user, Secret password) {
        return new Credentials(user, password, Method.SASL);
    }

    /**
     * Credentials that stand in a file of properties: {@code user}, then {@code password} or {@code password.file} (a
     * file with nothing but the password, looked for beside this one), and {@code method}, which is {@code password}
     * (the default) or {@code sasl}. Reads the file now; the password is read anew at each use.
     *
     * @param file the file, in UTF-8; a backslash in it is written twice
     * @return the credentials
     * @throws IllegalArgumentException if the file cannot be read or is not as it should be; shows nothing of it
     */
    public static Credentials file(Path file) {
        return CredentialsFile.read(file);
    }
}
