package io.tidemark.coordination.zk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.coordination.AccessDeniedException;
import io.tidemark.coordination.Await;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.Coordinations;
import io.tidemark.coordination.Credentials;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.ReadMode;
import io.tidemark.coordination.Secret;
import io.tidemark.coordination.Session;
import io.tidemark.coordination.TestIdentity;
import io.tidemark.coordination.TlsConfig;
import io.tidemark.coordination.TlsStore;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnResult;
import io.tidemark.coordination.Version;
import io.tidemark.coordination.WatchView;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Users, access lists, SASL and certificates, right and wrong, with real servers. */
@Timeout(180)
class ZkSecurityTest {
    private static final byte[] VALUE = "v".getBytes(StandardCharsets.UTF_8);
    private static final Key KEY = Key.of("/dir/key");
    private static final String PASSWORD = "known-to-members";
    private static final Duration TTL = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    private static Txn create(Key key) {
        return Txn.builder().create(key, VALUE).build();
    }

    private static CoordinationConfig.Builder config() {
        return CoordinationConfig.builder().operationTimeout(Duration.ofSeconds(25));
    }

    private static CoordinationConfig user(String name, String password) {
        return config().credentials(Credentials.password(name, Secret.of(password)))
                .build();
    }

    private static CoordinationConfig sasl(String name, String password) {
        return config().credentials(Credentials.sasl(name, Secret.of(password))).build();
    }

    private static CoordinationConfig tls(TlsConfig tls) {
        return config().tls(tls).build();
    }

    /** Writes, reads, watches and holds an ephemeral key. */
    private static void assertServes(Coordination client) {
        // On a machine that is busy a connection may break before the answer; then it is there, or may be made again.
        Await.until(() -> "a write to be answered", () -> isAnswered(client.commit(create(KEY))));
        assertTrue(Await.value(client.get(KEY, ReadMode.LINEARIZABLE)).isPresent());
        WatchView view = new WatchView();
        Await.done(client.watch(Key.ROOT, view).ready());
        Session session = Await.value(client.openSession(TTL));
        Txn mine =
                Txn.builder().createEphemeral(Key.of("/mine"), VALUE, session).build();
        assertInstanceOf(TxnResult.Committed.class, Await.value(client.commit(mine)));
        Await.until(() -> "the watch to see the key", () -> view.values().containsKey("/mine"));
        Await.done(session.closeAsync());
    }

    private static void assertDenied(CompletionStage<?> call) {
        String text =
                String.valueOf(Await.failure(AccessDeniedException.class, call).getMessage());
        assertFalse(text.contains(PASSWORD), text);
        assertTrue(text.contains("servers=127.0.0.1:"), text);
    }

    private static void assertAllDenied(Coordination client) {
        Version foreign = new Version(1, 1, 1);
        assertDenied(client.get(KEY, ReadMode.LINEARIZABLE));
        assertDenied(client.list(KEY.parent(), ReadMode.LINEARIZABLE));
        assertDenied(client.commit(Txn.builder().update(KEY, VALUE, foreign).build()));
        assertDenied(client.commit(Txn.builder().delete(KEY, foreign).build()));
        assertDenied(client.commit(create(KEY.parent().child("other"))));
        assertDenied(client.commit(create(KEY.parent().child("deep").child("other"))));
        assertDenied(client.commit(create(Key.of("/other/deep"))));
        Await.failure(
                AccessDeniedException.class,
                client.watch(Key.ROOT, new WatchView()).ready());
    }

    // What a user makes belongs to it alone; another password, another user and no user are kept out of it.
    @Test
    void shouldKeepTheNodesOfAUserFromOthers() {
        try (EmbeddedZooKeeper server = EmbeddedZooKeeper.start(folder)) {
            try (Coordination client = Coordinations.open(server.uri("/apps/test"), user("member", PASSWORD))) {
                assertServes(client);
            }
            try (Coordination again = Coordinations.open(server.uri("/apps/test"), user("member", PASSWORD))) {
                assertTrue(Await.value(again.get(KEY, ReadMode.LINEARIZABLE)).isPresent());
            }
            for (CoordinationConfig wrong :
                    List.of(user("member", "wrong"), user("nobody", PASSWORD), config().build())) {
                try (Coordination client = Coordinations.open(server.uri("/apps/test"), wrong)) {
                    assertAllDenied(client);
                }
            }
            // What lies above the chroot is not kept from others.
            try (Coordination neighbour = Coordinations.open(server.uri("/apps/other"), user("nobody", "own"))) {
                assertServes(neighbour);
            }
        }
    }

    // The connection is made anew after a restart, and the server told again.
    @Test
    void shouldTellTheUserAgainAfterReconnecting() {
        try (EmbeddedZooKeeper server = EmbeddedZooKeeper.start(folder);
                Coordination client = Coordinations.open(server.uri("/test"), user("member", PASSWORD))) {
            WatchView view = new WatchView();
            Await.done(client.watch(Key.ROOT, view).ready());
            Session session = Await.value(client.openSession(TTL));
            server.stop();
            Await.until(() -> "session is suspended", () -> session.state() == Session.State.SUSPENDED);
            server.start();
            Await.until(() -> "session is back", () -> session.state() == Session.State.CONNECTED);
            Txn txn = Txn.builder().createEphemeral(KEY, VALUE, session).build();
            assertInstanceOf(TxnResult.Committed.class, Await.value(client.commit(txn)));
            Await.until(() -> "the watch to see the key", () -> view.values().containsKey(KEY.path()));
        }
    }

    // SASL: the right user is served, on a server that takes nobody else.
    @Test
    void shouldProveAUserBySasl() {
        try (ZkProcess server = ZkProcess.alone(folder)
                .withSasl(Map.of("member", PASSWORD, "other", "known-to-others"))
                .withProperty("zookeeper.sessionRequireClientSASLAuth", "true")
                .start()) {
            AtomicReference<String> password = new AtomicReference<>(PASSWORD);
            CoordinationConfig right = config().credentials(Credentials.sasl("member", Secret.from(password::get)))
                    .build();
            try (Coordination client = Coordinations.open(server.uri("/test"), right)) {
                assertServes(client);
                WatchView view = new WatchView();
                Await.done(client.watch(Key.ROOT, view).ready());
                Session session = Await.value(client.openSession(TTL));
                server.kill();
                Await.until(() -> "session is suspended", () -> session.state() == Session.State.SUSPENDED);
                server.start();
                Await.until(() -> "session is back", () -> session.state() == Session.State.CONNECTED);
                Txn txn = Txn.builder()
                        .createEphemeral(Key.of("/later"), VALUE, session)
                        .build();
                assertInstanceOf(TxnResult.Committed.class, Await.value(client.commit(txn)));
                Await.until(
                        () -> "the watch to see the key", () -> view.values().containsKey("/later"));
            }
            try (Coordination other = Coordinations.open(server.uri("/test"), sasl("other", "known-to-others"))) {
                assertAllDenied(other);
            }
            for (CoordinationConfig wrong : List.of(
                    sasl("member", "wrong"), sasl("nobody", PASSWORD), user("member", PASSWORD), config().build())) {
                try (Coordination client = Coordinations.open(server.uri("/test"), wrong)) {
                    assertDenied(client.commit(create(KEY)));
                    assertDenied(client.openSession(TTL));
                    Await.failure(
                            AccessDeniedException.class,
                            client.watch(Key.ROOT, new WatchView()).ready());
                }
            }
            // A refusal is not for ever: the password is asked for anew.
            password.set("wrong");
            try (Coordination client = Coordinations.open(server.uri("/test"), right)) {
                assertDenied(client.get(KEY, ReadMode.LINEARIZABLE));
                password.set(PASSWORD);
                Await.until(() -> "access", () -> isServed(client));
            }
        }
    }

    private static boolean isServed(Coordination client) {
        return isAnswered(client.get(KEY, ReadMode.LINEARIZABLE));
    }

    private static boolean isAnswered(CompletionStage<?> call) {
        Await.until(() -> "the end of a call", call.toCompletableFuture()::isDone);
        return !call.toCompletableFuture().isCompletedExceptionally();
    }

    // A server without SASL must not serve who asks for it: the nodes would be anybody's.
    @Test
    void shouldRefuseAServerWithoutSasl() {
        try (EmbeddedZooKeeper server = EmbeddedZooKeeper.start(folder);
                Coordination client = Coordinations.open(server.uri("/test"), sasl("member", PASSWORD))) {
            assertDenied(client.commit(create(KEY)));
        }
    }

    // The server's certificate is trusted, from PEM and from PKCS12; another one is not.
    @Test
    void shouldEncryptToATrustedServerOnly() {
        TestIdentity own = TestIdentity.create(folder, "server", "ip:127.0.0.1");
        TestIdentity stranger = TestIdentity.create(folder, "stranger", "ip:127.0.0.1");
        try (ZkProcess server =
                ZkProcess.alone(folder.resolve("zk")).withTls(own, own, "none").start()) {
            TlsConfig right = TlsConfig.ofTrust(TlsStore.of(own.certificatePem()));
            try (Coordination client = Coordinations.open(server.uri("/pem"), tls(right))) {
                assertServes(client);
            }
            TlsStore pkcs12 = TlsStore.of(own.trustPkcs12(), Secret.of(TestIdentity.PASSWORD));
            CoordinationConfig both = config().tls(TlsConfig.ofTrust(pkcs12))
                    .credentials(Credentials.password("member", Secret.of(PASSWORD)))
                    .build();
            try (Coordination client = Coordinations.open(server.uri("/p12"), both)) {
                assertServes(client);
            }
            TlsConfig wrong = TlsConfig.ofTrust(TlsStore.of(stranger.certificatePem()));
            for (TlsConfig untrusting : List.of(wrong, TlsConfig.ofJdkTrust())) {
                try (Coordination client = Coordinations.open(server.uri("/no"), tls(untrusting))) {
                    assertDenied(client.commit(create(KEY)));
                    assertDenied(client.openSession(TTL));
                }
            }
        }
    }

    // A certificate for another host is refused. ZooKeeper's client cannot be told not to look, so nobody may ask that.
    @Test
    void shouldCheckTheHostName() {
        TestIdentity elsewhere = TestIdentity.create(folder, "elsewhere", "dns:elsewhere.example");
        try (ZkProcess server = ZkProcess.alone(folder.resolve("zk"))
                .withTls(elsewhere, elsewhere, "none")
                .start()) {
            TlsConfig checked = TlsConfig.ofTrust(TlsStore.of(elsewhere.certificatePem()));
            try (Coordination client = Coordinations.open(server.uri("/no"), tls(checked))) {
                assertDenied(client.commit(create(KEY)));
            }
            CoordinationConfig blind = tls(checked.withoutHostnameCheck());
            assertThrows(IllegalArgumentException.class, () -> Coordinations.open(server.uri("/no"), blind));
        }
    }

    // A server that asks for certificates takes the right one, and neither another nor none.
    @Test
    void shouldProveWhoTheClientIs() {
        TestIdentity own = TestIdentity.create(folder, "server", "ip:127.0.0.1");
        TestIdentity member = TestIdentity.create(folder, "member", "dns:member");
        TestIdentity stranger = TestIdentity.create(folder, "stranger", "dns:stranger");
        try (ZkProcess server = ZkProcess.alone(folder.resolve("zk"))
                .withTls(own, member, "need")
                .start()) {
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
    void shouldNameFilesThatCannotBeRead() {
        TlsConfig missing = TlsConfig.ofTrust(TlsStore.of(folder.resolve("missing.pem")));
        Credentials hidden = Credentials.password("member", Secret.file(folder.resolve("missing-password")));
        for (CoordinationConfig unusable :
                List.of(tls(missing), config().credentials(hidden).build())) {
            try (Coordination client = Coordinations.open("zk://127.0.0.1:1/", unusable)) {
                String text = String.valueOf(Await.failure(CoordinationException.class, client.get(KEY, ReadMode.LOCAL))
                        .getMessage());
                assertTrue(text.contains(folder.resolve("missing").toString()), text);
            }
        }
    }

    // A URI ends up in logs, so that it must not hold a user; what it held is not repeated.
    @Test
    void shouldRefuseAUserInTheUri() {
        IllegalArgumentException refused = assertThrows(
                IllegalArgumentException.class,
                () -> Coordinations.open("zk://member:" + PASSWORD + "@127.0.0.1:1/", CoordinationConfig.defaults()));
        assertFalse(String.valueOf(refused.getMessage()).contains(PASSWORD));
        assertEquals(null, refused.getCause());
    }
}
