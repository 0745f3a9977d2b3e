package io.tidemark.coordination.etcd;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.coordination.AccessDeniedException;
import io.tidemark.coordination.Await;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.Coordinations;
import io.tidemark.coordination.Credentials;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Secret;
import io.tidemark.coordination.SecretLeaks;
import io.tidemark.coordination.TestIdentity;
import io.tidemark.coordination.TlsConfig;
import io.tidemark.coordination.TlsStore;
import io.tidemark.coordination.Txn;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** What is logged, and what failures say, with real servers. Alone, because all of this process's log is read. */
@Isolated
@Timeout(180)
class EtcdSecretsTest {
    private static final byte[] VALUE = "v".getBytes(StandardCharsets.UTF_8);
    private static final Key KEY = Key.of("/key");
    private static final String PASSWORD = "known-to-members";

    @TempDir
    Path folder;

    private static Txn create(Key key) {
        return Txn.builder().create(key, VALUE).build();
    }

    private static CoordinationConfig user(String name, String password) {
        return CoordinationConfig.builder()
                .operationTimeout(Duration.ofSeconds(20))
                .credentials(Credentials.password(name, Secret.of(password)))
                .build();
    }

    private static CoordinationConfig tls(TlsConfig tls) {
        return CoordinationConfig.builder()
                .operationTimeout(Duration.ofSeconds(20))
                .tls(tls)
                .build();
    }

    private static void assertServes(Coordination client) {
        assertTrue(Await.value(client.commit(create(KEY))).isCommitted());
    }

    // All that is logged, at the finest level, by us and by the libraries below: no secret, and none in failures.
    @Test
    void shouldShowNoSecretInLogsAndFailures() {
        TestIdentity own = TestIdentity.create(folder, "server", "ip:127.0.0.1");
        TlsStore trust = TlsStore.of(own.trustPkcs12(), Secret.of(TestIdentity.PASSWORD));
        TlsStore key = TlsStore.of(own.pkcs12(), Secret.of(TestIdentity.PASSWORD));
        try (SecretLeaks leaks = SecretLeaks.watch(PASSWORD, "wrong-password", TestIdentity.PASSWORD);
                EtcdServer plain = EtcdServer.start(folder.resolve("users"));
                EtcdServer encrypted = EtcdServer.startTls(folder.resolve("tls"), own)) {
            plain.enableUsers("member", PASSWORD, "/test");
            try (Coordination client = Coordinations.open(plain.uri("/test"), user("member", PASSWORD))) {
                assertServes(client);
            }
            try (Coordination client = Coordinations.open(plain.uri("/test"), user("member", "wrong-password"))) {
                leaks.check(Await.failure(AccessDeniedException.class, client.commit(create(KEY))));
            }
            TlsConfig both = TlsConfig.ofTrust(trust).withKey(key);
            try (Coordination client = Coordinations.open(encrypted.uri("/test"), tls(both))) {
                assertServes(client);
            }
            leaks.assertNone();
            assertTrue(leaks.lines() > 20, "nothing was logged");
        }
    }
}
