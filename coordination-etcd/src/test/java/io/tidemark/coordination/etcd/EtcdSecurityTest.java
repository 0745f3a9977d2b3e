package io.tidemark.coordination.etcd;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.coordination.AccessDeniedException;
import io.tidemark.coordination.Await;
import io.tidemark.coordination.Change;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.Coordinations;
import io.tidemark.coordination.Credentials;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Listing;
import io.tidemark.coordination.ReadMode;
import io.tidemark.coordination.Secret;
import io.tidemark.coordination.Session;
import io.tidemark.coordination.TestIdentity;
import io.tidemark.coordination.TlsConfig;
import io.tidemark.coordination.TlsStore;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnResult;
import io.tidemark.coordination.WatchListener;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Users, permissions and certificates, right and wrong, with a real server. */
@Timeout(180)
class EtcdSecurityTest {
    private static final byte[] VALUE = "v".getBytes(StandardCharsets.UTF_8);
    private static final Key KEY = Key.of("/key");
    private static final String PASSWORD = "known-to-members";

    @TempDir
    Path folder;

    private static Txn create(Key key) {
        return Txn.builder().create(key, VALUE).build();
    }

    private static CoordinationConfig.Builder config() {
        return CoordinationConfig.builder().operationTimeout(Duration.ofSeconds(20));
    }

    private static CoordinationConfig user(String name, String password) {
        return config().credentials(Credentials.password(name, Secret.of(password)))
                .build();
    }

    private static CoordinationConfig tls(TlsConfig tls) {
        return config().tls(tls).build();
    }

    private EtcdServer startWithUsers() {
        EtcdServer server = EtcdServer.start(folder);
        server.enableUsers("member", PASSWORD, "/test");
        return server;
    }

    private static void assertServes(Coordination client) {
        assertInstanceOf(TxnResult.Committed.class, Await.value(client.commit(create(KEY))));
        assertTrue(Await.value(client.get(KEY, ReadMode.LINEARIZABLE)).isPresent());
    }

    private static void assertDenied(CompletionStage<?> call) {
        String text =
                String.valueOf(Await.failure(AccessDeniedException.class, call).getMessage());
        assertFalse(text.contains(PASSWORD), text);
        assertTrue(text.contains("servers=127.0.0.1:"), text);
    }

    // The right user with its password can do all, and again after the member has forgotten its token.
    @Test
    void shouldServeAUserWithItsPassword() {
        try (EtcdServer server = startWithUsers();
                Coordination client = Coordinations.open(server.uri("/test"), user("member", PASSWORD))) {
            assertServes(client);
            Session session = Await.value(client.openSession(Duration.ofSeconds(30)));
            Txn mine = Txn.builder()
                    .createEphemeral(Key.of("/mine"), VALUE, session)
                    .build();
            assertInstanceOf(TxnResult.Committed.class, Await.value(client.commit(mine)));
            Await.done(client.watch(Key.ROOT, new Quiet()).ready());
            server.kill();
            server.restart();
            assertTrue(Await.value(client.get(KEY, ReadMode.LINEARIZABLE)).isPresent());
            Await.done(session.closeAsync());
            assertTrue(Await.value(client.get(Key.of("/mine"), ReadMode.LINEARIZABLE))
                    .isEmpty());
        }
    }

    // Wrong password, unknown user, no user: refused at once, and no secret is shown.
    @Test
    void shouldDenyWrongAndMissingCredentials() {
        try (EtcdServer server = startWithUsers()) {
            for (CoordinationConfig wrong :
                    List.of(user("member", "wrong"), user("nobody", PASSWORD), config().build())) {
                try (Coordination client = Coordinations.open(server.uri("/test"), wrong)) {
                    assertDenied(client.commit(create(KEY)));
                    assertDenied(client.get(KEY, ReadMode.LOCAL));
                    assertDenied(client.openSession(Duration.ofSeconds(5)));
                    Await.failure(
                            AccessDeniedException.class,
                            client.watch(Key.ROOT, new Quiet()).ready());
                }
            }
        }
    }

    // The right user, but keys of others: each call is denied by itself, and a watch is refused for good.
    @Test
    void shouldDenyKeysOfOthers() {
        try (EtcdServer server = startWithUsers();
                Coordination client = Coordinations.open(server.uri("/other"), user("member", PASSWORD))) {
            assertDenied(client.commit(create(KEY)));
            assertDenied(client.get(KEY, ReadMode.LINEARIZABLE));
            assertDenied(client.list(Key.ROOT, ReadMode.LINEARIZABLE));
            Await.failure(
                    AccessDeniedException.class,
                    client.watch(Key.ROOT, new Quiet()).ready());
        }
    }

    // SASL is not etcd's: told when the client is opened.
    @Test
    void shouldRefuseAnotherMethod() {
        CoordinationConfig sasl = config().credentials(Credentials.sasl("member", Secret.of(PASSWORD)))
                .build();
        assertThrows(IllegalArgumentException.class, () -> Coordinations.open("etcd://127.0.0.1:1/", sasl));
    }

    // Credentials for a cluster without users do no harm.
    @Test
    void shouldServeWhoGivesAPasswordWithoutNeed() {
        try (EtcdServer server = EtcdServer.start(folder);
                Coordination client = Coordinations.open(server.uri("/test"), user("member", PASSWORD))) {
            assertServes(client);
        }
    }

    // The server's certificate is trusted, from PEM and from PKCS12; another one is not.
    @Test
    void shouldEncryptToATrustedServerOnly() {
        TestIdentity own = TestIdentity.create(folder, "server", "ip:127.0.0.1");
        TestIdentity stranger = TestIdentity.create(folder, "stranger", "ip:127.0.0.1");
        try (EtcdServer server = EtcdServer.startTls(folder, own)) {
            TlsConfig right = TlsConfig.ofTrust(TlsStore.of(own.certificatePem()));
            try (Coordination client = Coordinations.open(server.uri("/pem"), tls(right))) {
                assertServes(client);
            }
            TlsStore pkcs12 = TlsStore.of(own.trustPkcs12(), Secret.of(TestIdentity.PASSWORD));
            try (Coordination client = Coordinations.open(server.uri("/p12"), tls(TlsConfig.ofTrust(pkcs12)))) {
                assertServes(client);
            }
            TlsConfig wrong = TlsConfig.ofTrust(TlsStore.of(stranger.certificatePem()));
            for (TlsConfig untrusting : List.of(wrong, wrong.withoutHostnameCheck(), TlsConfig.ofJdkTrust())) {
                try (Coordination client = Coordinations.open(server.uri("/no"), tls(untrusting))) {
                    assertDenied(client.commit(create(KEY)));
                }
            }
        }
    }

    // A certificate for another host is refused, unless the caller does not mind.
    @Test
    void shouldCheckTheHostName() {
        TestIdentity elsewhere = TestIdentity.create(folder, "elsewhere", "dns:elsewhere.example");
        try (EtcdServer server = EtcdServer.startTls(folder, elsewhere)) {
            TlsConfig checked = TlsConfig.ofTrust(TlsStore.of(elsewhere.certificatePem()));
            try (Coordination client = Coordinations.open(server.uri("/no"), tls(checked))) {
                assertDenied(client.commit(create(KEY)));
            }
            try (Coordination client = Coordinations.open(server.uri("/yes"), tls(checked.withoutHostnameCheck()))) {
                assertServes(client);
            }
        }
    }

    // A server that asks for certificates takes the right one, and neither another nor none.
    @Test
    void shouldProveWhoTheClientIs() {
        TestIdentity own = TestIdentity.create(folder, "server", "ip:127.0.0.1");
        TestIdentity member = TestIdentity.create(folder, "member", "dns:member");
        TestIdentity stranger = TestIdentity.create(folder, "stranger", "dns:stranger");
        String trusted = member.certificatePem().toString();
        try (EtcdServer server = EtcdServer.startTls(folder, own, "--client-cert-auth", "--trusted-ca-file", trusted)) {
            TlsConfig none = TlsConfig.ofTrust(TlsStore.of(own.certificatePem()));
            try (Coordination client =
                    Coordinations.open(server.uri("/pem"), tls(none.withKey(TlsStore.of(member.bothPem()))))) {
                assertServes(client);
            }
            TlsStore pkcs12 = TlsStore.of(member.pkcs12(), Secret.of(TestIdentity.PASSWORD));
            try (Coordination client = Coordinations.open(server.uri("/p12"), tls(none.withKey(pkcs12)))) {
                assertServes(client);
            }
            for (TlsConfig wrong : List.of(none, none.withKey(TlsStore.of(stranger.bothPem())))) {
                try (Coordination client = Coordinations.open(server.uri("/no"), tls(wrong))) {
                    assertDenied(client.commit(create(KEY)));
                }
            }
        }
    }

    // Files that are not there: told at the first call, with their names, and without an endless loop.
    @Test
    void shouldNameTlsFilesThatCannotBeRead() {
        TlsConfig missing = TlsConfig.ofTrust(TlsStore.of(folder.resolve("missing.pem")));
        try (Coordination client = Coordinations.open("etcd://127.0.0.1:1/", tls(missing))) {
            CompletionStage<Optional<Entry>> call = client.get(KEY, ReadMode.LOCAL);
            String text = String.valueOf(
                    Await.failure(CoordinationException.class, call).getMessage());
            assertTrue(text.contains("missing.pem"), text);
        }
    }

    /** Sees nothing. */
    private static final class Quiet implements WatchListener {
        @Override
        public void onSnapshot(Listing state) {}

        @Override
        public void onChanges(List<Change> changes, long revision) {}
    }
}
