package io.tidemark.coordination.zk;

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
import io.tidemark.coordination.TxnResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** What is logged, and what failures say, with a real server. Alone, because all of this process's log is read. */
@Isolated
@Timeout(180)
class ZkSecretsTest {
    private static final byte[] VALUE = "v".getBytes(StandardCharsets.UTF_8);
    private static final Key KEY = Key.of("/key");
    private static final String PASSWORD = "known-to-members";

    @TempDir
    Path folder;

    private static Txn create(Key key) {
        return Txn.builder().create(key, VALUE).build();
    }

    private static CoordinationConfig.Builder config() {
        return CoordinationConfig.builder().operationTimeout(Duration.ofSeconds(25));
    }

    // All that is logged, at the finest level, by us and by ZooKeeper's client: no secret, and none in failures.
    @Test
    void shouldShowNoSecretInLogsAndFailures() {
        TestIdentity own = TestIdentity.create(folder, "server", "ip:127.0.0.1");
        TlsConfig tls = TlsConfig.ofTrust(TlsStore.of(own.trustPkcs12(), Secret.of(TestIdentity.PASSWORD)))
                .withKey(TlsStore.of(own.pkcs12(), Secret.of(TestIdentity.PASSWORD)));
        try (SecretLeaks leaks = SecretLeaks.watch(PASSWORD, TestIdentity.PASSWORD);
                ZkProcess server = ZkProcess.alone(folder.resolve("zk"))
                        .withTls(own, own, "need")
                        .withSasl(Map.of("member", PASSWORD))
                        .start()) {
            for (Credentials credentials : List.of(
                    Credentials.password("member", Secret.of(PASSWORD)),
                    Credentials.sasl("member", Secret.of(PASSWORD)),
                    Credentials.sasl("stranger", Secret.of(PASSWORD)))) {
                CoordinationConfig config =
                        config().tls(tls).credentials(credentials).build();
                String chroot = "/" + credentials.method() + "/" + credentials.user();
                try (Coordination client = Coordinations.open(server.uri(chroot), config)) {
                    CompletionStage<TxnResult> call = client.commit(create(KEY));
                    if (credentials.user().equals("member")) {
                        assertTrue(Await.value(call).isCommitted());
                    } else {
                        leaks.check(Await.failure(AccessDeniedException.class, call));
                    }
                }
            }
            leaks.assertNone();
            assertTrue(leaks.lines() > 20, "nothing was logged");
        }
    }
}
