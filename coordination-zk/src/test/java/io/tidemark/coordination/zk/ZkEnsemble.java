package io.tidemark.coordination.zk;

import io.tidemark.coordination.Await;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.Coordinations;
import io.tidemark.coordination.EnsembleFixture;
import io.tidemark.coordination.MemberProxies;
import io.tidemark.coordination.ServiceProcess;
import io.tidemark.coordination.TcpProxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Three real ZooKeeper servers in processes of their own. */
final class ZkEnsemble implements EnsembleFixture {
    private static final Duration TTL = Duration.ofSeconds(4);

    private final List<ZkProcess> members = new ArrayList<>();
    private final Set<Integer> paused = new HashSet<>();
    private final MemberProxies proxies = new MemberProxies();

    /** Starts them with their data below a folder. */
    ZkEnsemble(Path folder) {
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
            member.launch();
        }
        members.forEach(ZkProcess::awaitServing);
    }

    @Override
    public Coordination openClient(String dir, CoordinationConfig.Builder config) {
        return open(members.stream().map(ZkProcess::port).toList(), dir, config);
    }

    @Override
    public Coordination openClientOf(int member, String dir, CoordinationConfig.Builder config) {
        return open(List.of(members.get(member).port()), dir, config);
    }

    private Coordination open(List<Integer> ports, String dir, CoordinationConfig.Builder config) {
        return proxies.open(ports, servers -> Coordinations.open("zk://" + servers + dir, config.build()));
    }

    @Override
    public void cutOff(Coordination client, int member) {
        proxies.of(client).get(member).cut();
    }

    @Override
    public void heal(Coordination client) {
        proxies.of(client).forEach(TcpProxy::heal);
    }

    @Override
    public int leader() {
        Await.until(() -> "a leader of the ensemble", () -> leaderOrNone() >= 0);
        return leaderOrNone();
    }

    private int leaderOrNone() {
        for (int i = 0; i < MEMBERS; i++) {
            if (!paused.contains(i)
                    && members.get(i).isRunning()
                    && members.get(i).mode().equals("leader")) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public void kill(int member) {
        members.get(member).kill();
    }

    @Override
    public void start(int member) {
        members.get(member).start();
    }

    @Override
    public void pause(int member) {
        paused.add(member);
        members.get(member).pause();
    }

    @Override
    public void resume(int member) {
        members.get(member).resume();
        paused.remove(member);
    }

    @Override
    public void repair() {
        for (int member : Set.copyOf(paused)) {
            resume(member);
        }
        for (ZkProcess member : members) {
            if (!member.isRunning()) {
                member.launch();
            }
        }
        members.forEach(ZkProcess::awaitServing);
    }

    @Override
    public Duration ttl() {
        return TTL;
    }

    @Override
    public void close() {
        proxies.close();
        members.forEach(ZkProcess::close);
    }
}
