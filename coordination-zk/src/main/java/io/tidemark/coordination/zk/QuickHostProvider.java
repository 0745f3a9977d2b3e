package io.tidemark.coordination.zk;

import java.net.InetSocketAddress;
import java.util.Collection;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.HostProvider;
import org.apache.zookeeper.client.StaticHostProvider;

/**
 * Chooses servers as ZooKeeper's client does by itself, but pauses for a tenth of a second instead of a whole one when
 * all were tried. Before each attempt the client pauses a random part of a second anyway, and a session whose time to
 * live is a few seconds cannot spare more. Called by the client's threads.
 */
final class QuickHostProvider implements HostProvider {
    private static final long PAUSE_MS_MAX = 100;

    private final HostProvider servers;

    /**
     * Takes the servers in a random order.
     *
     * @param address names them
     */
    QuickHostProvider(ZkAddress address) {
        servers = new StaticHostProvider(new ConnectStringParser(address.servers()).getServerAddresses());
    }

    @Override
    public int size() {
        return servers.size();
    }

    @Override
    public InetSocketAddress next(long spinDelay) {
        return servers.next(Math.min(spinDelay, PAUSE_MS_MAX));
    }

    @Override
    public void onConnected() {
        servers.onConnected();
    }

    @Override
    public boolean updateServerList(Collection<InetSocketAddress> serverAddresses, InetSocketAddress currentHost) {
        return servers.updateServerList(serverAddresses, currentHost);
    }
}
