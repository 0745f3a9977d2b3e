package io.tidemark.coordination.zk;

import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.ServiceEnsemble;
import io.tidemark.coordination.ServiceProcess;
import io.tidemark.coordination.Session;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Three real ZooKeeper servers in processes of their own. */
final class ZkEnsemble extends ServiceEnsemble<ZkProcess> {
    private static final Duration TTL = Duration.ofSeconds(4);
    /** A ping has 12. */
    private static final int REQUEST_BYTES_MIN = 40;

    /** Starts them with their data below a folder. */
    ZkEnsemble(Path folder) {
        super("zk", prepare(folder));
    }

    private static List<ZkProcess> prepare(Path folder) {
        List<ZkProcess> members = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        for (int i = 1; i <= MEMBERS; i++) {
            ZkProcess member = new ZkProcess(folder.resolve("zk-" + i), i);
            member.port(ServiceProcess.freePort());
            members.add(member);
            lines.add("127.0.0.1:" + ServiceProcess.freePort() + ":" + ServiceProcess.freePort());
        }
        for (ZkProcess member : members) {
            for (int i = 1; i <= MEMBERS; i++) {
                member.with("server." + i, lines.get(i - 1));
            }
        }
        return members;
    }

    private String servers() {
        return members().stream().map(member -> "127.0.0.1:" + member.port()).collect(Collectors.joining(","));
    }

    @Override
    public void expire(Session session) {
        ZkAdmin.expire(servers(), session.id());
    }

    @Override
    public void compactHistory() {
        // A ZooKeeper keeps no history: it tells nobody what changed while a watch was lost.
        members().forEach(ZkProcess::awaitServing);
    }

    @Override
    public Coordination openIntruder(String dir) {
        ZkAdmin.guard(servers(), dir + "/guarded");
        return openClient(dir, CoordinationConfig.builder());
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
