package io.tidemark.tools.demo;

import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.CoordinationSecurity;
import io.tidemark.coordination.Coordinations;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnResult;
import io.tidemark.tools.check.SubtreeRemoval;
import io.tidemark.tools.system.CommandFailure;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;

/**
 * A fresh path in a coordination service that the user runs, removed afterwards. The path is the place of a key of the
 * user's own URI, under which the brokers keep theirs.
 */
final class UserCoordination implements CoordinationPlace {
    private final URI base;
    private final Key top;
    private final Map<String, String> settings;
    private final CoordinationSecurity security;
    private boolean isStarted;

    /**
     * Chooses the path.
     *
     * @param base the user's URI
     * @param settings who the run is there, as settings of {@code CoordinationSecurity}
     * @param runId makes the path unlike others
     */
    UserCoordination(URI base, Map<String, String> settings, String runId) {
        this.base = base;
        this.top = Key.of("/tidemark-demo-" + runId);
        this.settings = settings;
        this.security = CoordinationSecurity.from(settings);
    }

    /**
     * Leaves a first key, so that the run does not fail three times and later when the service does not answer or does
     * not let us write.
     */
    @Override
    public void start(Starter starter) {
        Txn first = Txn.builder()
                .create(top.child("made-by"), "tidemark demo".getBytes(StandardCharsets.UTF_8))
                .build();
        TxnResult result;
        try (Coordination coordination = open(base)) {
            result = coordination.commit(first).toCompletableFuture().join();
        } catch (CompletionException e) {
            throw new CommandFailure(
                    "the coordination service does not answer: uri=" + uri() + ", cause=" + cause(e)
                            + "; start it or correct --coordination",
                    e);
        }
        if (!result.isCommitted()) {
            throw new CommandFailure("the path of this run is taken: uri=" + uri() + ", result=" + result);
        }
        isStarted = true;
    }

    private static String cause(CompletionException failed) {
        return String.valueOf((failed.getCause() == null ? failed : failed.getCause()).getMessage());
    }

    @Override
    public String uri() {
        String path = base.getPath() == null ? "" : base.getPath();
        String stripped = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
        return base.getScheme() + "://" + base.getAuthority() + stripped + top;
    }

    @Override
    public Map<String, String> security() {
        return settings;
    }

    @Override
    public Coordination open() {
        return open(URI.create(uri()));
    }

    private Coordination open(URI uri) {
        return Coordinations.open(
                uri, security.applyTo(CoordinationConfig.builder()).build());
    }

    @Override
    public void close() {
        if (!isStarted) {
            return;
        }
        isStarted = false;
        // Brokers that have left leave this one without a key.
        List<Key> emptied = List.of(top.child("brokers").child("ids"));
        int left;
        try (Coordination coordination = open(base)) {
            left = SubtreeRemoval.remove(coordination, top, emptied);
        } catch (CompletionException e) {
            throw leftBehind(cause(e), e);
        } catch (CoordinationException e) {
            throw leftBehind(String.valueOf(e.getMessage()), e);
        }
        if (left > 0) {
            throw leftBehind("somebody writes there", new IllegalStateException("keys left: count=" + left));
        }
    }

    private CommandFailure leftBehind(String why, Exception cause) {
        return new CommandFailure(
                "cannot remove what the demo made: uri=" + uri() + ", cause=" + why
                        + "; remove it with zkCli (deleteall) or etcdctl (del --prefix)",
                cause);
    }
}
