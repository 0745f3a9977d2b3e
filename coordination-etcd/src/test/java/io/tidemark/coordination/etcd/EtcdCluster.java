package io.tidemark.coordination.etcd;

import io.tidemark.coordination.Await;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.Coordinations;
import io.tidemark.coordination.EnsembleFixture;
import io.tidemark.coordination.MemberProxies;
import io.tidemark.coordination.TcpProxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Three real members of etcd in processes of their own. */
final class EtcdCluster implements EnsembleFixture {
    private static final Duration TTL = Duration.ofSeconds(3);

    private final List<EtcdServer> members;
    private final Set<Integer> paused = new HashSet<>();
    private final MemberProxies proxies = new MemberProxies();

    /** Starts them with their data below a folder. */
    EtcdCluster(Path folder) {
        members = EtcdServer.members(folder, MEMBERS);
        members.forEach(EtcdServer::launch);
        members.forEach(EtcdServer::awaitServing);
    }

    @Override
    public Coordination openClient(String dir, CoordinationConfig.Builder config) {
        return open(members.stream().map(EtcdServer::port).toList(), dir, config);
    }

    @Override
    public Coordination openClientOf(int member, String dir, CoordinationConfig.Builder config) {
        return open(List.of(members.get(member).port()), dir, config);
    }

    private Coordination open(List<Integer> ports, String dir, CoordinationConfig.Builder config) {
        return proxies.open(ports, servers -> Coordinations.open("etcd://" + servers + dir, config.build()));
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
        Await.until(() -> "a leader of the cluster", () -> leaderOrNone() >= 0);
        return leaderOrNone();
    }

    private int leaderOrNone() {
        for (int i = 0; i < MEMBERS; i++) {
            if (!paused.contains(i)
                    && members.get(i).isRunning()
                    && members.get(i).isLeader()) {
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
        members.get(member).restart();
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
        for (EtcdServer member : members) {
            if (!member.isRunning()) {
                member.launch();
            }
        }
        members.forEach(EtcdServer::awaitServing);
    }

    @Override
    public Duration ttl() {
        return TTL;
    }

    @Override
    public void close() {
        proxies.close();
        members.forEach(EtcdServer::close);
    }
}
