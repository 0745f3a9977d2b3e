package io.tidemark.coordination.etcd;

import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.Credentials;
import io.tidemark.coordination.Secret;
import io.tidemark.coordination.ServiceEnsemble;
import io.tidemark.coordination.Session;
import java.nio.file.Path;
import java.time.Duration;

/** Three real members of etcd in processes of their own. */
final class EtcdCluster extends ServiceEnsemble<EtcdServer> {
    private static final Duration TTL = Duration.ofSeconds(3);
    /** More than the acknowledgements of the answer before. */
    private static final int REQUEST_BYTES_MIN = 100;

    private boolean usersEnabled;

    /** Starts them with their data below a folder. */
    EtcdCluster(Path folder) {
        super("etcd", EtcdServer.members(folder, MEMBERS));
    }

    @Override
    public void expire(Session session) {
        members().get(0).revoke(session.id());
    }

    @Override
    public void compactHistory() {
        members().get(0).compact();
    }

    @Override
    public Coordination openIntruder(String dir) {
        members().get(0).enableUsers("member", "known-to-members", dir + "/open");
        usersEnabled = true;
        return openClient(
                dir,
                CoordinationConfig.builder()
                        .credentials(Credentials.password("member", Secret.of("known-to-members"))));
    }

    @Override
    public void repair() {
        super.repair();
        if (usersEnabled) {
            members().get(0).disableUsers();
            usersEnabled = false;
        }
    }

    @Override
    public int requestBytesMin() {
        return REQUEST_BYTES_MIN;
    }

    @Override
    public Duration ttl() {
        return TTL;
    }
}
