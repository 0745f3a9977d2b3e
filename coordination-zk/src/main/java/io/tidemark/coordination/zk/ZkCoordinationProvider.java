package io.tidemark.coordination.zk;

import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.CoordinationProvider;
import java.net.URI;

/**
 * Opens {@code zk://h1:2181,h2:2181/chroot}. The chroot may be left out; it is created by the first write. Any thread.
 *
 * <p>How the configuration is used: an attempt to reach one server takes the connect timeout, as far as the tick time
 * of the ensemble allows; ZooKeeper's client pauses up to two seconds between attempts. Credentials of the method
 * PASSWORD become ZooKeeper's own {@code digest} scheme, those of SASL a DIGEST-MD5 exchange; new nodes belong to that
 * user alone. TLS needs no property of the JVM; host names are always compared.
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
        if (config.tls().isPresent() && !config.tls().get().verifyHostname()) {
            // Netty compares it whatever ZooKeeper's client says, so this could not be kept.
            throw new IllegalArgumentException("ZooKeeper's client always compares the host name in a server's"
                    + " certificate; dial the servers by names that are in their certificates");
        }
        return new ZkCoordination(ZkAddress.parse(uri), config);
    }
}
