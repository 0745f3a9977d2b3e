package io.tidemark.tools.demo;

import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.Coordinations;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.ReadMode;
import io.tidemark.tools.system.ChildProcess;
import io.tidemark.tools.system.CommandFailure;
import java.io.IOException;
import java.net.URI;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooKeeper;

/**
 * A fresh path in a coordination service that the user runs, removed afterwards. So far only ZooKeeper keeps its data
 * in a service, and its parents are nodes of their own, so that the removal is ZooKeeper's.
 */
final class UserCoordination implements CoordinationPlace {
    private static final int SESSION_TIMEOUT_MS = 10_000;

    private final URI uri;
    private boolean isStarted;

    /**
     * Chooses the path.
     *
     * @param base the user's URI
     * @param runId makes the path unlike others
     */
    UserCoordination(URI base, String runId) {
        String path = base.getPath() == null ? "" : base.getPath();
        String stripped = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
        this.uri = URI.create(base.getScheme() + "://" + base.getAuthority() + stripped + "/tidemark-demo-" + runId);
    }

    /** Checks that the service answers, so that the run does not fail three times and later. */
    @Override
    public void start(Function<ChildProcess.Command, ChildProcess> starter) {
        try (Coordination coordination = open()) {
            coordination
                    .list(Key.ROOT, ReadMode.LINEARIZABLE)
                    .toCompletableFuture()
                    .join();
        } catch (CompletionException e) {
            String cause = e.getCause() == null
                    ? String.valueOf(e.getMessage())
                    : e.getCause().getMessage();
            throw new CommandFailure(
                    "the coordination service does not answer: uri=" + uri + ", cause=" + cause
                            + "; start it or correct --coordination",
                    e);
        }
        isStarted = true;
    }

    @Override
    public String uri() {
        return uri.toString();
    }

    @Override
    public Coordination open() {
        return Coordinations.open(uri, CoordinationConfig.defaults());
    }

    @Override
    public void close() {
        if (!isStarted) {
            return;
        }
        isStarted = false;
        try {
            removePath();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw leftBehind(e);
        } catch (IOException | KeeperException e) {
            throw leftBehind(e);
        }
    }

    private void removePath() throws IOException, InterruptedException, KeeperException {
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper zooKeeper = new ZooKeeper(uri.getAuthority(), SESSION_TIMEOUT_MS, event -> connected.countDown());
        try {
            connected.await(SESSION_TIMEOUT_MS, TimeUnit.MILLISECONDS);
            if (zooKeeper.exists(uri.getPath(), false) != null) {
                ZKUtil.deleteRecursive(zooKeeper, uri.getPath());
            }
        } finally {
            zooKeeper.close();
        }
    }

    private CommandFailure leftBehind(Exception cause) {
        return new CommandFailure(
                "cannot remove what the demo made: path=" + uri.getPath() + ", service=" + uri.getAuthority()
                        + ", cause=" + cause.getMessage() + "; remove it with zkCli: deleteall " + uri.getPath(),
                cause);
    }
}
