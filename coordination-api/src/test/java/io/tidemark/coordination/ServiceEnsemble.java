package io.tidemark.coordination;

import java.net.URI;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A service of three real servers, each in a process of its own, and clients that know them through proxies: what the
 * ensembles of all back ends have in common. Not thread-safe.
 */
public abstract class ServiceEnsemble<M extends ServiceMember> implements EnsembleFixture {
    private final String scheme;
    private final List<M> members;
    private final Set<Integer> paused = new HashSet<>();
    private final MemberProxies proxies = new MemberProxies();

    /**
     * Starts the members and waits until all serve.
     *
     * @param scheme of the addresses, such as {@code zk}
     * @param members in any order; closed with this
     */
    protected ServiceEnsemble(String scheme, List<M> members) {
        this.scheme = scheme;
        this.members = List.copyOf(members);
        members.forEach(ServiceMember::launch);
        members.forEach(ServiceMember::awaitServing);
    }

    /** The members. */
    protected final List<M> members() {
        return members;
    }

    @Override
    public final Coordination openClient(String dir, CoordinationConfig.Builder config) {
        return open(members.stream().map(ServiceMember::port).toList(), dir, config);
    }

    @Override
    public final Coordination openClientOf(int member, String dir, CoordinationConfig.Builder config) {
        return open(List.of(members.get(member).port()), dir, config);
    }

    private Coordination open(List<Integer> ports, String dir, CoordinationConfig.Builder config) {
        return proxies.open(
                ports, servers -> Coordinations.open(URI.create(scheme + "://" + servers + dir), config.build()));
    }

    @Override
    public final List<TcpProxy> proxies(Coordination client) {
        return proxies.of(client);
    }

    @Override
    public final int leader() {
        Await.until(() -> "a leader of the service", () -> leaderOrNone() >= 0);
        return leaderOrNone();
    }

    private int leaderOrNone() {
        for (int i = 0; i < members.size(); i++) {
            if (!paused.contains(i)
                    && members.get(i).isRunning()
                    && members.get(i).isLeader()) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public final void kill(int member) {
        members.get(member).kill();
    }

    @Override
    public final void start(int member) {
        members.get(member).restart();
    }

    @Override
    public final void pause(int member) {
        paused.add(member);
        members.get(member).pause();
    }

    @Override
    public final void resume(int member) {
        members.get(member).resume();
        paused.remove(member);
    }

    @Override
    public void repair() {
        for (int member : Set.copyOf(paused)) {
            resume(member);
        }
        for (ServiceMember member : members) {
            if (!member.isRunning()) {
                member.launch();
            }
        }
        members.forEach(ServiceMember::awaitServing);
    }

    @Override
    public final void close() {
        proxies.close();
        members.forEach(ServiceMember::close);
    }
}
