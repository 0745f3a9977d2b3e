package io.tidemark.coordination.zk;

import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.CoordinationProvider;
import java.net.URI;

/**
 * Opens {@code zk://h1:2181,h2:2181/chroot}. The chroot may be left out; it is created by the first write. Any thread.
 *
 * <p>How the configuration is used: an attempt to reach one server takes the connect timeout, as far as the tick time
 * of the ensemble allows; ZooKeeper's client pauses up to two seconds between attempts.
 */
public final class ZkCoordinationProvider implements CoordinationProvider {
    /** Makes the provider; it has no state. */
    public ZkCoordinationProvider() {}

    @Override
    public String scheme() {
        return "zk";
    }

    @Override
    public Coordination open(URI uri, CoordinationConfig config) {
        return new ZkCoordination(ZkAddress.parse(uri), config);
    }
}
