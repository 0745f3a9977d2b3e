package io.tidemark.coordination.zk;

import io.tidemark.coordination.Await;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;

/** What somebody else does to a service of ZooKeeper, by ZooKeeper's own client. */
final class ZkAdmin {
    private static final int SESSION_MS = 20_000;
    /** From it and its number a server makes the password of a session (ZooKeeperServer.generatePasswd). */
    private static final long SESSION_SECRET = 0xB3415C00L;

    private static final int SESSION_PASSWORD_BYTES = 16;

    private ZkAdmin() {}

    /** Calls of ZooKeeper's client. */
    private interface Work {
        void run(ZooKeeper client) throws KeeperException, InterruptedException;
    }

    /**
     * Makes a node, and those above it, which only a user that nobody else knows may read and write.
     *
     * @param servers where the service is
     * @param path the node
     */
    static void guard(String servers, String path) {
        run(servers, 0, new byte[0], client -> {
            client.addAuthInfo("digest", "owner:known-to-nobody".getBytes(StandardCharsets.UTF_8));
            for (int slash = path.indexOf('/', 1); slash > 0; slash = path.indexOf('/', slash + 1)) {
                client.create(path.substring(0, slash), null, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            }
            client.create(path, null, ZooDefs.Ids.CREATOR_ALL_ACL, CreateMode.PERSISTENT);
        });
    }

    /**
     * Ends a session now, by another connection of the same session, of which its owner knows nothing. Nothing happens
     * if it is over already.
     *
     * @param servers where the service is
     * @param sessionId the number of the session
     */
    static void expire(String servers, long sessionId) {
        byte[] password = new byte[SESSION_PASSWORD_BYTES];
        new Random(sessionId ^ SESSION_SECRET).nextBytes(password);
        run(servers, sessionId, password, client -> {});
    }

    /** Works by a connection that joins a session; it makes one of its own if the number is zero. */
    private static void run(String servers, long sessionId, byte[] password, Work work) {
        CountDownLatch told = new CountDownLatch(1);
        Watcher watcher = event -> {
            if (event.getState() == Watcher.Event.KeeperState.SyncConnected
                    || event.getState() == Watcher.Event.KeeperState.Expired) {
                told.countDown();
            }
        };
        try {
            ZooKeeper client = new ZooKeeper(servers, SESSION_MS, watcher, sessionId, password);
            try {
                Await.until(() -> "an answer of ZooKeeper: servers=" + servers, () -> told.getCount() == 0);
                work.run(client);
            } finally {
                client.close();
            }
        } catch (IOException | KeeperException failed) {
            throw new IllegalStateException("ZooKeeper refuses: servers=" + servers, failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted during a call of ZooKeeper: servers=" + servers, interrupted);
        }
    }
}
