package io.tidemark.coordination.zk;

import io.tidemark.coordination.AccessDeniedException;
import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.Credentials;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/**
 * Proves to a server over one connection who the client is, by DIGEST-MD5. ZooKeeper's client could do it, but takes
 * the user and its password from a login configuration of the whole JVM only. The password is not sent, and the server
 * proves that it knows it too. Owned by the loop.
 */
final class SaslExchange {
    private static final String MECHANISM = "DIGEST-MD5";
    /** What ZooKeeper's servers call themselves. */
    private static final String SERVICE = "zookeeper/zk-sasl-md5";

    private static final int NONCE_BYTES = 16;
    private static final byte[] NOTHING = {};
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Credentials credentials;
    private final RevisionClient client;
    private final String servers;
    private final Consumer<@Nullable CoordinationException> onEnd;

    /**
     * Prepares an exchange.
     *
     * @param credentials who the client is
     * @param client the connection, which is new
     * @param servers named in failures
     * @param onEnd is told null when the server is convinced, or why it is not; nothing if the connection breaks
     */
    SaslExchange(
            Credentials credentials,
            RevisionClient client,
            String servers,
            Consumer<@Nullable CoordinationException> onEnd) {
        this.credentials = credentials;
        this.client = client;
        this.servers = servers;
        this.onEnd = onEnd;
    }

    /** Begins. */
    void start() {
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        DigestMd5 begun =
                new DigestMd5(credentials.user(), SERVICE, HexFormat.of().formatHex(nonce));
        client.sasl(NOTHING, reply -> onReply(reply, challenge -> answer(begun, challenge)));
    }

    private void answer(DigestMd5 begun, byte[] challenge) {
        Optional<byte[]> response;
        try {
            response = begun.respond(challenge, credentials.password().reveal());
        } catch (CoordinationException unreadable) {
            // A password that cannot be had is told as such.
            onEnd.accept(unreadable);
            return;
        }
        if (response.isEmpty()) {
            deny("the server does not speak " + MECHANISM);
        } else {
            client.sasl(response.get(), reply -> onReply(reply, proof -> conclude(begun, proof)));
        }
    }

    private void conclude(DigestMd5 begun, byte[] proof) {
        if (begun.isProof(proof)) {
            onEnd.accept(null);
        } else {
            deny("the server does not prove that it knows the user");
        }
    }

    private void onReply(Reply<byte[]> reply, Consumer<byte[]> next) {
        if (reply.code() == Code.CONNECTIONLOSS || reply.code() == Code.SESSIONEXPIRED) {
            // The next connection begins anew.
            return;
        }
        byte[] token = reply.value();
        if (!reply.isOk()) {
            deny("code=" + reply.code());
        } else if (token == null) {
            deny("the server does not speak " + MECHANISM);
        } else {
            next.accept(token);
        }
    }

    private void deny(String reason) {
        onEnd.accept(new AccessDeniedException("ZooKeeper refused the SASL credentials: user=" + credentials.user()
                + ", reason="
                + reason + ", servers=" + servers + "; check user and password, and that the servers offer " + MECHANISM
                + " (fips-mode=false)"));
    }
}
