package io.tidemark.coordination.zk;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The client's side of one DIGEST-MD5 exchange (RFC 2831, quality of protection {@code auth}): the password is not
 * sent, and the server proves that it knows it too. The JDK's own mechanism writes the password into its log at the
 * finest level, so it is not used. Not thread-safe.
 */
final class DigestMd5 {
    private static final Pattern DIRECTIVE =
            Pattern.compile("\\s*([\\w-]+)\\s*=\\s*(?:\"((?:[^\"\\\\]|\\\\.)*)\"|([^\\s,\"]*))\\s*(?:,|$)");

    private static final String COUNT = "00000001";
    private static final String QUALITY = "auth";

    private final String user;
    private final String service;
    private final String clientNonce;
    private String proof = "";

    /**
     * Prepares an exchange.
     *
     * @param user who the client is
     * @param service the kind of service and its name, such as {@code zookeeper/zk-sasl-md5}
     * @param clientNonce random and never used before
     */
    DigestMd5(String user, String service, String clientNonce) {
        this.user = user;
        this.service = service;
        this.clientNonce = clientNonce;
    }

    /**
     * Answers the server's challenge.
     *
     * @param challenge what the server sent
     * @param password the user's; not kept
     * @return what to send; empty if the challenge is none that this can answer
     */
    Optional<byte[]> respond(byte[] challenge, String password) {
        Map<String, String> asked = directives(challenge);
        String nonce = asked.getOrDefault("nonce", "");
        boolean offersQuality = Arrays.asList(asked.getOrDefault("qop", QUALITY).split("[,\\s]+"))
                .contains(QUALITY);
        if (nonce.isEmpty()
                || !offersQuality
                || !asked.getOrDefault("algorithm", "").equals("md5-sess")) {
            return Optional.empty();
        }
        String realm = asked.getOrDefault("realm", "");
        byte[] secret = md5(bytes(user), bytes(":"), bytes(realm), bytes(":"), bytes(password));
        String key = hex(md5(secret, utf8(":" + nonce + ":" + clientNonce)));
        Arrays.fill(secret, (byte) 0);
        proof = response(key, nonce, ":" + service);
        String text = "charset=utf-8,username=" + quoted(user) + ",realm=" + quoted(realm) + ",nonce=" + quoted(nonce)
                + ",nc=" + COUNT + ",cnonce=" + quoted(clientNonce) + ",digest-uri=" + quoted(service)
                + ",response=" + response(key, nonce, "AUTHENTICATE:" + service) + ",qop=" + QUALITY;
        return Optional.of(utf8(text));
    }

    /**
     * Whether the server proves that it knows the password.
     *
     * @param answer its last message
     * @return false also if nothing was answered yet
     */
    boolean isProof(byte[] answer) {
        String given = directives(answer).getOrDefault("rspauth", "");
        return !proof.isEmpty() && MessageDigest.isEqual(utf8(proof), utf8(given));
    }

    private String response(String key, String nonce, String subject) {
        String hashed = hex(md5(utf8(subject)));
        return hex(md5(utf8(String.join(":", key, nonce, COUNT, clientNonce, QUALITY, hashed))));
    }

    private static Map<String, String> directives(byte[] message) {
        Map<String, String> found = new HashMap<>();
        Matcher matcher = DIRECTIVE.matcher(new String(message, StandardCharsets.UTF_8));
        while (matcher.lookingAt()) {
            String quoted = matcher.group(2);
            String value = quoted == null ? matcher.group(3) : quoted.replaceAll("\\\\(.)", "$1");
            found.putIfAbsent(matcher.group(1), value);
            if (matcher.end() == matcher.regionEnd()) {
                break;
            }
            matcher.region(matcher.end(), matcher.regionEnd());
        }
        return found;
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /** Text that has a form in ISO 8859-1 is hashed in it, any other in UTF-8: so says the RFC. */
    private static byte[] bytes(String text) {
        Charset latin = StandardCharsets.ISO_8859_1;
        return latin.newEncoder().canEncode(text) ? text.getBytes(latin) : utf8(text);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    private static byte[] md5(byte[]... parts) {
        try {
            MessageDigest digest = MessageDigest.getInstance("MD5");
            for (byte[] part : parts) {
                digest.update(part);
            }
            return digest.digest();
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("this JVM has no MD5, which SASL with ZooKeeper needs", missing);
        }
    }
}
