package io.tidemark.coordination.spi;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.jspecify.annotations.Nullable;

/** The certificates and the private key in a PEM text. Immutable; what fails here never shows what is in the text. */
final class PemFile {
    private static final Pattern BLOCK = Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----");
    private static final List<String> KEY_ALGORITHMS = List.of("RSA", "EC", "EdDSA", "DSA");
    private static final String SCHEME_2 = "PBES2";
    private static final String SCHEME_2_OID = "1.2.840.113549.1.5.13";

    private final String text;

    /**
     * Keeps a text.
     *
     * @param text PEM blocks, with anything in between
     */
    PemFile(String text) {
        this.text = text;
    }

    /**
     * Reads the certificates.
     *
     * @return them, in the order of the text, at least one
     * @throws GeneralSecurityException if there is none, or one is damaged
     */
    List<Certificate> certificates() throws GeneralSecurityException {
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        List<Certificate> certificates = new ArrayList<>();
        Matcher block = BLOCK.matcher(text);
        while (block.find()) {
            if (block.group(1).endsWith("CERTIFICATE")) {
                certificates.add(factory.generateCertificate(new ByteArrayInputStream(decode(block.group(2)))));
            }
        }
        if (certificates.isEmpty()) {
            throw new GeneralSecurityException("the file holds no certificate in PEM");
        }
        return certificates;
    }

    /**
     * Reads the private key.
     *
     * @param password opens it; null if it is not protected
     * @return the first private key of the text
     * @throws IOException if it is damaged
     * @throws GeneralSecurityException if there is none, it is not PKCS #8, or the password does not open it
     */
    PrivateKey privateKey(char @Nullable [] password) throws IOException, GeneralSecurityException {
        Matcher block = BLOCK.matcher(text);
        while (block.find()) {
            switch (block.group(1)) {
                case "PRIVATE KEY" -> {
                    return key(new PKCS8EncodedKeySpec(decode(block.group(2))));
                }
                case "ENCRYPTED PRIVATE KEY" -> {
                    return key(opened(decode(block.group(2)), password));
                }
                default -> {
                    if (block.group(1).endsWith("PRIVATE KEY")) {
                        throw new GeneralSecurityException("the private key is not PKCS #8: block=" + block.group(1)
                                + "; convert it with openssl pkcs8 -topk8");
                    }
                }
            }
        }
        throw new GeneralSecurityException("the file holds no private key in PEM");
    }

    private static byte[] decode(String base64) throws GeneralSecurityException {
        try {
            return Base64.getMimeDecoder().decode(base64);
        } catch (IllegalArgumentException damaged) {
            // The decoder's own text may quote from the block.
            throw new GeneralSecurityException("a block of the file is not Base64");
        }
    }

    private static PKCS8EncodedKeySpec opened(byte[] der, char @Nullable [] password)
            throws IOException, GeneralSecurityException {
        if (password == null) {
            throw new GeneralSecurityException("the private key is protected, and no password was given");
        }
        EncryptedPrivateKeyInfo info = new EncryptedPrivateKeyInfo(der);
        String algorithm = info.getAlgName();
        if (algorithm.equals(SCHEME_2) || algorithm.equals(SCHEME_2_OID)) {
            // Names the scheme only; its parameters name the cipher.
            algorithm = info.getAlgParameters().toString();
        }
        Cipher cipher = Cipher.getInstance(algorithm);
        cipher.init(
                Cipher.DECRYPT_MODE,
                SecretKeyFactory.getInstance(algorithm).generateSecret(new PBEKeySpec(password)),
                info.getAlgParameters());
        return info.getKeySpec(cipher);
    }

    private static PrivateKey key(PKCS8EncodedKeySpec encoded) throws GeneralSecurityException {
        for (String algorithm : KEY_ALGORITHMS) {
            PrivateKey key = keyOrNull(algorithm, encoded);
            if (key != null) {
                return key;
            }
        }
        throw new GeneralSecurityException("the private key is damaged or of an unknown kind: known=" + KEY_ALGORITHMS);
    }

    private static @Nullable PrivateKey keyOrNull(String algorithm, PKCS8EncodedKeySpec encoded)
            throws GeneralSecurityException {
        try {
            return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
        } catch (InvalidKeySpecException ofAnotherKind) {
            return null;
        }
    }
}
