package io.tidemark.sim;

/** Clients that are killed; others begin in their places. */
final class ClientFaults implements FaultFamily {
    private final SimCluster cluster;
    private final Nemesis nemesis;

    ClientFaults(SimCluster cluster, Nemesis nemesis) {
        this.cluster = cluster;
        this.nemesis = nemesis;
    }

    @Override
    public boolean strike(Fault fault, SimBroker broker) {
        cluster.replaceClient(fault.number() % cluster.clientCount());
        nemesis.reached("client killed");
        return true;
    }
}
