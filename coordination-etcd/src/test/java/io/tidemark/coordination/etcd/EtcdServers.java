package io.tidemark.coordination.etcd;

import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Real servers that cases use one after the other, each below a prefix of its own. Any thread. */
final class EtcdServers implements AutoCloseable {
    private final Path folder;
    private final Queue<EtcdServer> idle = new ConcurrentLinkedQueue<>();
    private final AtomicInteger started = new AtomicInteger();
    private final AtomicInteger prefixes = new AtomicInteger();

    /** Keeps the data of all servers below a folder, which the caller deletes. */
    EtcdServers(Path folder) {
        this.folder = folder;
    }

    /** A server that runs and that nobody else has, until {@link #giveBack}. */
    EtcdServer take() {
        EtcdServer server = idle.poll();
        if (server == null) {
            return EtcdServer.start(folder.resolve("etcd-" + started.incrementAndGet()));
        }
        server.ensureRunning();
        return server;
    }

    /** A prefix that nobody has used. */
    String newPrefix() {
        return "/contract/" + prefixes.incrementAndGet();
    }

    /** Leaves a server to the next case. */
    void giveBack(EtcdServer server) {
        idle.add(server);
    }

    @Override
    public void close() {
        idle.forEach(EtcdServer::close);
    }
}
