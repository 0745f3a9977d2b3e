package io.tidemark.coordination.zk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.callback.PasswordCallback;
import javax.security.sasl.AuthorizeCallback;
import javax.security.sasl.RealmCallback;
import javax.security.sasl.Sasl;
import javax.security.sasl.SaslException;
import javax.security.sasl.SaslServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DigestMd5Test {
    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    // The example of RFC 2831, section 4.
    @Test
    void shouldAnswerTheExampleOfTheRfc() {
        DigestMd5 exchange = new DigestMd5("chris", "imap/elwood.innosoft.com", "OA6MHXh6VqTrRk");
        byte[] challenge = bytes("realm=\"elwood.innosoft.com\",nonce=\"OA6MG9tEQGm2hh\",qop=\"auth\","
                + "algorithm=md5-sess,charset=utf-8");
        String response = new String(exchange.respond(challenge, "secret").orElseThrow(), StandardCharsets.UTF_8);
        assertTrue(response.contains(",response=d388dad90d4bbd760a152321f2143af7,"), response);
        assertTrue(response.startsWith("charset=utf-8,username=\"chris\",realm=\"elwood.innosoft.com\","), response);
        assertFalse(exchange.isProof(bytes("rspauth=ea40f60335c427b5527b84dbabcdffff")));
        assertTrue(exchange.isProof(bytes("rspauth=ea40f60335c427b5527b84dbabcdfffd")));
    }

    // The JDK's server, which is ZooKeeper's, is convinced by users and passwords with all kinds of letters.
    @ParameterizedTest
    @CsvSource({"member,known", "'a \"quoted\" \\ name',p:w", "Jürgen,groß", "ユーザー,密码", "member,''"})
    void shouldConvinceTheServerOfTheJdk(String user, String password) throws SaslException {
        SaslServer server = server(user, password);
        DigestMd5 exchange = new DigestMd5(user, "zookeeper/zk-sasl-md5", "0123456789abcdef");
        byte[] challenge = server.evaluateResponse(new byte[0]);
        byte[] proof =
                server.evaluateResponse(exchange.respond(challenge, password).orElseThrow());
        assertTrue(server.isComplete());
        assertEquals(user, server.getAuthorizationID());
        assertTrue(exchange.isProof(proof));
    }

    private static SaslServer server(String user, String password) throws SaslException {
        return Sasl.createSaslServer("DIGEST-MD5", "zookeeper", "zk-sasl-md5", Map.of(), questions -> {
            for (Callback question : questions) {
                if (question instanceof PasswordCallback secret) {
                    secret.setPassword(password.toCharArray());
                } else if (question instanceof AuthorizeCallback authorize) {
                    authorize.setAuthorized(authorize.getAuthenticationID().equals(user));
                } else if (question instanceof NameCallback name) {
                    name.setName(name.getDefaultName());
                } else if (question instanceof RealmCallback realm) {
                    realm.setText(realm.getDefaultText());
                }
            }
        });
    }

    // What is no challenge that can be answered safely is not answered, and nothing is a proof before.
    @Test
    void shouldNotAnswerWhatIsNoChallenge() {
        DigestMd5 exchange = new DigestMd5("member", "zookeeper/zk-sasl-md5", "0123456789abcdef");
        for (String text : List.of(
                "",
                "nonsense",
                "realm=\"r\",qop=\"auth\",algorithm=md5-sess",
                "nonce=\"n\",qop=\"auth-conf\",algorithm=md5-sess",
                "nonce=\"n\",qop=\"auth\",algorithm=md5",
                "nonce=\"n\",qop=\"auth\"")) {
            assertEquals(Optional.empty(), exchange.respond(bytes(text), "known"), text);
        }
        assertFalse(exchange.isProof(bytes("rspauth=")));
        assertFalse(exchange.isProof(bytes("")));
    }
}
