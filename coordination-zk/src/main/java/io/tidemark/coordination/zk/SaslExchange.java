package io.tidemark.coordination.zk;

import io.tidemark.coordination.AccessDeniedException;
import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.Credentials;
import java.util.Map;
import java.util.function.Consumer;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.callback.PasswordCallback;
import javax.security.auth.callback.UnsupportedCallbackException;
import javax.security.sasl.RealmCallback;
import javax.security.sasl.RealmChoiceCallback;
import javax.security.sasl.Sasl;
import javax.security.sasl.SaslClient;
import javax.security.sasl.SaslException;
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
    private static final String PROTOCOL = "zookeeper";

    private static final String SERVER = "zk-sasl-md5";
    private static final int STEPS_MAX = 8;
    private static final byte[] NOTHING = {};

    private final Credentials credentials;
    private final RevisionClient client;
    private final String servers;
    private final Consumer<@Nullable CoordinationException> onEnd;
    private @Nullable SaslClient mechanism;
    private int steps;

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
        try {
            SaslClient made = Sasl.createSaslClient(
                    new String[] {MECHANISM}, credentials.user(), PROTOCOL, SERVER, Map.of(), this::answer);
            if (made == null) {
                deny("the JDK offers no " + MECHANISM);
                return;
            }
            mechanism = made;
            send(made.hasInitialResponse() ? made.evaluateChallenge(NOTHING) : NOTHING);
        } catch (SaslException failed) {
            deny("the exchange cannot begin");
        }
    }

    private void answer(Callback[] questions) throws UnsupportedCallbackException {
        for (Callback question : questions) {
            if (question instanceof NameCallback name) {
                name.setName(credentials.user());
            } else if (question instanceof PasswordCallback password) {
                password.setPassword(credentials.password().reveal().toCharArray());
            } else if (question instanceof RealmCallback realm) {
                realm.setText(realm.getDefaultText());
            } else if (question instanceof RealmChoiceCallback realms) {
                realms.setSelectedIndex(realms.getDefaultChoice());
            } else {
                throw new UnsupportedCallbackException(question);
            }
        }
    }

    private void send(byte[] token) {
        steps++;
        client.sasl(token, this::onReply);
    }

    private void onReply(Reply<byte[]> reply) {
        SaslClient running = mechanism;
        if (running == null || reply.code() == Code.CONNECTIONLOSS || reply.code() == Code.SESSIONEXPIRED) {
            // The next connection begins anew.
            return;
        }
        byte[] challenge = reply.value();
        if (!reply.isOk()) {
            deny("code=" + reply.code());
        } else if (challenge == null || steps >= STEPS_MAX) {
            deny("the server does not speak " + MECHANISM);
        } else {
            proceed(running, challenge);
        }
    }

    private void proceed(SaslClient running, byte[] challenge) {
        byte[] token;
        try {
            token = running.evaluateChallenge(challenge);
        } catch (SaslException | CoordinationException failed) {
            // What the mechanism says may quote from the exchange.
            CoordinationException unreadable = failed instanceof CoordinationException own ? own : ownCause(failed);
            if (unreadable == null) {
                deny("the server's answer is not acceptable");
            } else {
                end(unreadable);
            }
            return;
        }
        if (running.isComplete()) {
            end(null);
        } else {
            send(token == null ? NOTHING : token);
        }
    }

    /** A password that cannot be had is told as such. */
    private static @Nullable CoordinationException ownCause(Exception failed) {
        return failed.getCause() instanceof CoordinationException own ? own : null;
    }

    private void deny(String reason) {
        end(new AccessDeniedException("ZooKeeper refused the SASL credentials: user=" + credentials.user() + ", reason="
                + reason + ", servers=" + servers + "; check user and password, and that the servers offer " + MECHANISM
                + " (fips-mode=false)"));
    }

    private void end(@Nullable CoordinationException failure) {
        SaslClient ended = mechanism;
        mechanism = null;
        if (ended != null) {
            dispose(ended);
        }
        onEnd.accept(failure);
    }

    private static void dispose(SaslClient ended) {
        try {
            ended.dispose();
        } catch (SaslException failed) {
            throw new IllegalStateException("a SASL mechanism does not forget its secrets", failed);
        }
    }
}
