package io.tidemark.coordination;

import io.tidemark.coordination.spi.SystemSeam;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * Elects one leader among sessions, written once above {@link Coordination}. Each leadership has a persistent term,
 * raised by one in the same transaction that wins, which fences all leaders before: see {@link Leadership#guard}.
 *
 * <p>{@link Mode#BY_NAME}: one ephemeral key, and its first creator leads. {@link Mode#QUEUE}: each candidate has an
 * ephemeral key of its own, and the one that was created first leads; each candidate watches only the one before it.
 * A write with unknown outcome is settled by the version of the term key, which never moves back. Any thread; holds
 * no thread. Stages given out here complete on the callback executor of the {@link Coordination}, or in the calling
 * thread; to wait for one inside a callback, the executor needs more than one thread.
 */
public final class LeaderElection {
    /** How candidates compete. */
    public enum Mode {
        /** One key; the first creator leads. */
        BY_NAME,
        /** A key for each candidate; the lowest creation order leads. */
        QUEUE
    }

    private static final Duration RETRY_PAUSE = Duration.ofMillis(200);
    private static final String CANDIDATES = "candidates";

    private final Coordination coordination;
    private final Mode mode;
    private final Key key;
    private final Key termKey;
    private final Executor retryExecutor;
    private final Supplier<UUID> candidateIds;

    private LeaderElection(
            Coordination coordination,
            Mode mode,
            Key key,
            Key termKey,
            Executor retryExecutor,
            Supplier<UUID> candidateIds) {
        this.coordination = Objects.requireNonNull(coordination, "coordination");
        this.mode = mode;
        this.key = key;
        this.termKey = termKey;
        this.retryExecutor = retryExecutor;
        this.candidateIds = candidateIds;
        if (key.equals(termKey) || key.isAncestorOf(termKey) || termKey.isAncestorOf(key)) {
            throw new IllegalArgumentException(
                    "the term needs a key beside that of the election: key=" + key + ", termKey=" + termKey);
        }
    }

    /**
     * An election in which the first creator of a key leads.
     *
     * @param coordination where; must outlive the election and is not closed by it
     * @param leaderKey holds the leader's info while it leads
     * @param termKey holds the last term, as a decimal number in text; made by the first leader
     * @return the election
     */
    public static LeaderElection byName(Coordination coordination, Key leaderKey, Key termKey) {
        Executor pause = SystemSeam.delayedExecutor(RETRY_PAUSE);
        return new LeaderElection(coordination, Mode.BY_NAME, leaderKey, termKey, pause, SystemSeam.randomIds());
    }

    /**
     * An election in which candidates lead in the order of their arrival.
     *
     * @param coordination where; must outlive the election and is not closed by it
     * @param dir the candidates are the keys below its child {@code candidates}
     * @param termKey holds the last term, as a decimal number in text; made by the first leader
     * @return the election
     */
    public static LeaderElection byQueue(Coordination coordination, Key dir, Key termKey) {
        Executor pause = SystemSeam.delayedExecutor(RETRY_PAUSE);
        Key candidates = dir.child(CANDIDATES);
        return new LeaderElection(coordination, Mode.QUEUE, candidates, termKey, pause, SystemSeam.randomIds());
    }

    /**
     * The same election with pauses and names that are passed in, for a simulation.
     *
     * @param executor runs each task after a pause, by which failed calls are tried again; 200 ms unless set
     * @param ids names the candidates of a queue; each name only once
     * @return the changed election
     */
    public LeaderElection with(Executor executor, Supplier<UUID> ids) {
        return new LeaderElection(coordination, mode, key, termKey, executor, ids);
    }

    /**
     * How candidates compete.
     *
     * @return the mode
     */
    public Mode mode() {
        return mode;
    }

    /**
     * Competes until it wins, the session ends, or the campaign is cancelled. Lost connections are waited for. One
     * campaign or leadership at a time for one session.
     *
     * @param session the candidate; its end is the end of the campaign and of the leadership
     * @param info the value of the leader's key, for others to read; copied
     * @return the leadership. Fails with {@link SessionExpiredException} when the session ends, with
     *     {@link AccessDeniedException} or {@link CoordinationClosedException}, or with {@link
     *     IllegalStateException} if the keys hold something else than an election. Cancelling it
     *     ({@code toCompletableFuture().cancel(true)}) withdraws the candidate
     */
    public CompletionStage<Leadership> campaign(Session session, byte[] info) {
        Ballot ballot = new Ballot(coordination, session, info, key, termKey, retryExecutor);
        Campaign campaign = mode == Mode.BY_NAME
                ? new NameCampaign(ballot)
                : new QueueCampaign(ballot, candidateIds.get().toString());
        return campaign.start();
    }
}
