package io.tidemark.sim;

/** Paths that are cut or slow, and connections that are reset. */
final class NetworkFaults implements FaultFamily {
    private final SimCluster cluster;
    private final Nemesis nemesis;

    NetworkFaults(SimCluster cluster, Nemesis nemesis) {
        this.cluster = cluster;
        this.nemesis = nemesis;
    }

    @Override
    public boolean strike(Fault fault, SimBroker broker) {
        SimNetwork network = cluster.network();
        String a = broker.machine.host;
        String b = cluster.broker(fault.other()).machine.host;
        switch (fault.kind()) {
            case CUT -> {
                cut(a, b, fault.durationNs(), true);
                nemesis.reached("network cut both ways");
                if (cluster.brokers().size() > 2) {
                    nemesis.reached("path cut around a corner");
                }
            }
            case CUT_ONE_WAY -> {
                cut(a, b, fault.durationNs(), false);
                nemesis.reached("network cut one way");
            }
            case ISOLATE ->
                cluster.brokers().stream()
                        .filter(peer -> peer != broker)
                        .forEach(peer -> cut(a, peer.machine.host, fault.durationNs(), true));
            case CUT_CLIENTS ->
                cluster.clients().forEach(client -> cut(a, client.machine.host, fault.durationNs(), true));
            case REFUSE -> {
                network.refuse(a, b);
                nemesis.later(fault.durationNs(), () -> network.stopRefusing(a, b));
                nemesis.reached("refused in the name of a live broker");
            }
            case DAMAGE -> {
                network.damage(a, b, 1 + fault.number() % 5);
                nemesis.reached("batch damaged on its way");
            }
            case RESET -> {
                int count = network.reset(a, b);
                for (SimClient client : cluster.clients()) {
                    count += network.reset(a, client.machine.host);
                }
                if (count == 0) {
                    return false;
                }
                nemesis.reached("connection reset");
            }
            default -> {
                network.slowDown(a, b, 20_000);
                nemesis.later(fault.durationNs(), () -> network.speedUp(a, b));
                nemesis.reached("network slow");
            }
        }
        return true;
    }

    private void cut(String a, String b, long forNs, boolean bothWays) {
        SimNetwork network = cluster.network();
        network.cut(a, b);
        if (bothWays) {
            network.cut(b, a);
        }
        nemesis.later(forNs, () -> {
            network.heal(a, b);
            if (bothWays) {
                network.heal(b, a);
            }
        });
    }
}
