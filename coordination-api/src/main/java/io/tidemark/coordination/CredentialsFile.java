package io.tidemark.coordination;

import io.tidemark.coordination.spi.SystemSeam;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;

/**
 * Reads credentials from a properties file. Stateless. What fails here names the file and the keys that are known,
 * never what stands in the file: one that is not as it should be may hold the bare password in any place.
 */
final class CredentialsFile {
    private static final String USER = "user";
    private static final String PASSWORD = "password";
    private static final String PASSWORD_FILE = "password.file";
    private static final String METHOD = "method";
    private static final Set<String> KNOWN = Set.of(USER, PASSWORD, PASSWORD_FILE, METHOD);

    private CredentialsFile() {}

    /**
     * Reads a file.
     *
     * @param file the file
     * @return the credentials, whose password is read anew at each use
     * @throws IllegalArgumentException if it cannot be read or is not as it should be
     */
    static Credentials read(Path file) {
        Properties lines = load(file);
        if (!KNOWN.containsAll(lines.stringPropertyNames())) {
            throw unusable(file, "it has a line with another key");
        }
        String user = lines.getProperty(USER, "").strip();
        if (user.isEmpty()) {
            throw unusable(file, "the user is missing");
        }
        boolean holdsPassword = lines.getProperty(PASSWORD) != null;
        String passwordFile = lines.getProperty(PASSWORD_FILE);
        if (holdsPassword == (passwordFile != null)) {
            throw unusable(file, "there must be either a password or a password.file");
        }
        Secret password = passwordFile == null
                ? Secret.from(() -> load(file).getProperty(PASSWORD, ""), "file=" + file.toAbsolutePath())
                : Secret.file(file.resolveSibling(passwordFile.strip()));
        return new Credentials(user, password, method(file, lines.getProperty(METHOD, "password")));
    }

    private static Credentials.Method method(Path file, String text) {
        return switch (text.strip().toLowerCase(Locale.ROOT)) {
            case "password" -> Credentials.Method.PASSWORD;
            case "sasl" -> Credentials.Method.SASL;
            default -> throw unusable(file, "the method is neither password nor sasl");
        };
    }

    private static Properties load(Path file) {
        Properties lines = new Properties();
        try {
            lines.load(new StringReader(SystemSeam.readSecret(file, Secret.FILE_SIZE_BYTES_MAX)));
        } catch (IOException unreadable) {
            throw new IllegalArgumentException(
                    "credentials cannot be read: file=" + file.toAbsolutePath()
                            + "; check that the file exists, is readable, small, and UTF-8",
                    unreadable);
        } catch (IllegalArgumentException malformed) {
            // Its own text may quote from the file.
            throw unusable(file, "it has a malformed \\u escape");
        }
        return lines;
    }

    private static IllegalArgumentException unusable(Path file, String why) {
        return new IllegalArgumentException("credentials file cannot be used: file=" + file.toAbsolutePath()
                + ", reason=" + why + "; write user=NAME, then password=TEXT or password.file=PATH, and method=password"
                + " or method=sasl, a line each");
    }
}
