package io.tidemark.conductor;

import io.tidemark.controller.AdminResult;
import io.tidemark.controller.AdminWish;
import io.tidemark.controller.ClusterImage;
import io.tidemark.controller.ControllerSettings;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.LeaderElection;
import io.tidemark.coordination.Leadership;
import io.tidemark.coordination.SessionExpiredException;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.metadata.MetadataKeys;
import io.tidemark.partition.Replica;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Has this broker run for controller as long as it is registered, and holds the office while it is. Owned by the
 * conductor.
 *
 * <table>
 * <caption>Transitions</caption>
 * <tr><th>from</th><th>to</th><th>when</th></tr>
 * <tr><td>out</td><td>running</td><td>the broker was registered, or a pause after a failed campaign is over</td></tr>
 * <tr><td>running</td><td>in office</td><td>the election was won</td></tr>
 * <tr><td>running</td><td>out</td><td>the campaign failed, or the registration was lost</td></tr>
 * <tr><td>in office</td><td>out</td><td>the key was taken away, a later controller was met, the lease ran out, or the
 *     registration was lost</td></tr>
 * </table>
 */
final class ControllerDriver {
    /** Instead of a term, out of office. */
    static final long NO_TERM = -1;

    private static final long RETRY_MIN_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long RETRY_MAX_NS = TimeUnit.SECONDS.toNanos(5);

    /** What others do about it. Called on the conductor. */
    interface Events {
        /**
         * This broker is controller now.
         *
         * @param epoch its term
         */
        void elected(long epoch);

        /**
         * This broker is not controller any more.
         *
         * @param epoch the term that ended
         * @param reason for the log
         */
        void left(long epoch, String reason);
    }

    private final int brokerId;
    private final Coordination coordination;
    private final Executor conductor;
    private final CoordinationCalls calls;
    private final LeaderElection election;
    private final ClusterView view;
    private final ControllerSettings settings;
    private final RandomGenerator random;
    private final OfficeHost host;
    private final Events events;
    private final Backoff backoff;
    private @Nullable Registration registration;
    private @Nullable ControllerOffice office;
    private @Nullable CompletionStage<Leadership> campaign;
    private boolean isCampaignDue;
    private long nextCampaignNs;
    private long nowNs;

    /**
     * What the driver shares with the conductor.
     *
     * @param brokerId this broker
     * @param coordination the service
     * @param conductor runs tasks on the conductor
     * @param view the known brokers and records
     * @param settings how it decides in office where there is a choice
     * @param random chooses placements and ids, and spreads attempts
     */
    record Parts(
            int brokerId,
            Coordination coordination,
            Executor conductor,
            ClusterView view,
            ControllerSettings settings,
            RandomGenerator random) {}

    /**
     * Begins out of office.
     *
     * @param parts what it shares with the conductor
     * @param host for the office
     * @param events who is told
     */
    ControllerDriver(Parts parts, OfficeHost host, Events events) {
        this.brokerId = parts.brokerId();
        this.coordination = parts.coordination();
        this.conductor = parts.conductor();
        this.calls = new CoordinationCalls(conductor);
        this.election = LeaderElection.byName(coordination, MetadataKeys.CONTROLLER, MetadataKeys.CONTROLLER_EPOCH);
        this.view = parts.view();
        this.settings = parts.settings();
        this.random = parts.random();
        this.host = host;
        this.events = events;
        this.backoff = new Backoff(RETRY_MIN_NS, RETRY_MAX_NS, random);
    }

    /**
     * The broker was registered: runs for controller.
     *
     * @param current the registration
     * @param now the time
     */
    void registered(Registration current, long now) {
        nowNs = now;
        registration = current;
        run(current);
    }

    /**
     * The registration was lost, and with it any office.
     *
     * @param reason for the log
     */
    void lost(String reason) {
        registration = null;
        isCampaignDue = false;
        cancelCampaign();
        leave(reason);
    }

    /** Runs for controller no more; an office that it holds goes on. */
    void standDown() {
        registration = null;
        isCampaignDue = false;
        cancelCampaign();
    }

    /**
     * A later controller was met, or a write failed its guard.
     *
     * @param reason for the log
     */
    void superseded(String reason) {
        ControllerOffice current = office;
        if (current == null) {
            return;
        }
        leave(reason);
        // The key may still be ours; it must go before anybody, and be it this broker, can be elected again.
        calls.then(current.leadership().resign(), done -> {}, host::attemptFailed);
        runLater();
    }

    /**
     * The registered brokers changed.
     *
     * @param now the time
     */
    void brokersChanged(long now) {
        if (office != null) {
            office.brokersChanged(now);
        }
    }

    /**
     * Makes a change of the cluster if this broker is controller.
     *
     * @param wish the change
     * @param waitNs how long the answer may wait for the brokers of new replicas to know of them, 0 not to wait
     * @param reply is given the result; null if the term ended before
     * @return false if this broker is not controller; the reply is not used then
     */
    boolean admin(AdminWish wish, long waitNs, Consumer<@Nullable AdminResult> reply) {
        return office != null && office.admin(wish, waitNs, reply);
    }

    /**
     * Whether this broker is controller and has begun to decide.
     *
     * @return true if so
     */
    boolean isInOffice() {
        return office != null && office.isStarted();
    }

    /**
     * The term of this broker as controller.
     *
     * @return its epoch, {@link #NO_TERM} while this broker is not controller
     */
    long term() {
        ControllerOffice current = office;
        return current == null ? NO_TERM : current.leadership().term();
    }

    /**
     * Takes evidence that a registered process is dead.
     *
     * @param process the dead process
     * @param witnesses processes that found it dead, this one among them
     * @return false if it was not taken, since this broker is not controller or its term has not begun
     */
    boolean processDead(Replica process, Collection<Replica> witnesses) {
        return office != null && office.processDead(process, witnesses);
    }

    /**
     * Moves the office or the next campaign on.
     *
     * @param now the time
     * @return count of things done
     */
    int tick(long now) {
        nowNs = now;
        ControllerOffice current = office;
        if (current != null) {
            if (!current.leadership().isValid(Duration.ZERO)) {
                superseded("the lease of the controller ran out");
                return 1;
            }
            return current.tick(now);
        }
        Registration with = registration;
        if (isCampaignDue && with != null && nextCampaignNs - now <= 0) {
            isCampaignDue = false;
            run(with);
            return 1;
        }
        return 0;
    }

    /**
     * Whether something is to be done soon.
     *
     * @return true before a planned campaign or repetition
     */
    boolean isBusy() {
        return isCampaignDue || (office != null && office.isBusy());
    }

    private void run(Registration with) {
        CompletionStage<Leadership> running =
                election.campaign(with.session(), MetadataJson.encodeController(with.self()));
        campaign = running;
        calls.then(
                running,
                won -> {
                    if (campaign != running) {
                        calls.then(won.resign(), done -> {}, host::attemptFailed);
                        return;
                    }
                    campaign = null;
                    backoff.reset();
                    take(won, with.self());
                },
                failure -> {
                    if (campaign == running) {
                        campaign = null;
                        if (!(failure instanceof SessionExpiredException)) {
                            host.attemptFailed(failure);
                        }
                        runLater();
                    }
                });
    }

    private void runLater() {
        isCampaignDue = registration != null;
        nextCampaignNs = nowNs + backoff.nextNs();
    }

    private void cancelCampaign() {
        CompletionStage<Leadership> running = campaign;
        campaign = null;
        if (running != null) {
            running.toCompletableFuture().cancel(true);
        }
    }

    private void take(Leadership won, Replica self) {
        ControllerOffice taken = new ControllerOffice(
                self, won, coordination, conductor, view, new ControllerOffice.Seat(host, settings, random, nowNs));
        office = taken;
        view.controller(brokerId, won.term());
        calls.then(
                won.lost(),
                done -> {
                    if (office == taken) {
                        leave("the key of the controller was taken away");
                        runLater();
                    }
                },
                host::attemptFailed);
        events.elected(won.term());
    }

    private void leave(String reason) {
        ControllerOffice current = office;
        if (current == null) {
            return;
        }
        office = null;
        current.close().forEach(unanswered -> unanswered.accept(null));
        long epoch = current.leadership().term();
        view.controller(ClusterImage.NO_CONTROLLER, epoch);
        events.left(epoch, reason);
    }
}
