package io.tidemark.sim;

import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.local.LocalFaults;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A coordination service that is away, forgets sessions, and loses or delays what it is asked or tells. */
final class CoordinationFaults implements FaultFamily {
    private final SimCluster cluster;
    private final Nemesis nemesis;
    private final SplittableRandom random;

    CoordinationFaults(SimCluster cluster, Nemesis nemesis) {
        this.cluster = cluster;
        this.nemesis = nemesis;
        this.random = new SplittableRandom(nemesis.seed() ^ 0x5eed0005L);
    }

    private LocalFaults faults() {
        return cluster.store().faults();
    }

    private static @Nullable Coordination clientOf(SimBroker broker) {
        SimBroker.Life life = broker.life();
        return life == null || life.isPaused() ? null : life.coordination.inner();
    }

    @Override
    public boolean strike(Fault fault, SimBroker broker) {
        Coordination client = clientOf(broker);
        if (client == null) {
            return false;
        }
        int nth = 1 + fault.number() % 3;
        switch (fault.kind()) {
            case COORDINATION_DOWN, COORDINATION_SILENT -> {
                lose(broker, fault.durationNs(), fault.kind() == Fault.Kind.COORDINATION_DOWN);
                nemesis.reached("coordination lost by one");
            }
            case COORDINATION_ALL_DOWN -> {
                cluster.brokers().forEach(each -> lose(each, fault.durationNs(), random.nextBoolean()));
                nemesis.reached("coordination lost by all");
            }
            case EXPIRE -> {
                cluster.oracle().onSessionsEnded();
                // Ids of sessions are given in order; the service may end any of them.
                for (long session = 1; session < 200; session++) {
                    if (random.nextInt(3) == 0) {
                        faults().expireSession(session);
                    }
                }
                nemesis.reached("session expired by the service");
            }
            case LOSE_REQUEST -> {
                faults().dropRequest(client, nth);
                nemesis.reached("coordination request lost");
            }
            case LOSE_WRITE_ANSWER -> {
                SimBroker.Life life = broker.life();
                if (life == null) {
                    return false;
                }
                life.coordination.loseAnswers(nth);
                nemesis.reached("answer to a write lost");
            }
            case LOSE_ANSWER -> {
                faults().dropReply(client, nth);
                nemesis.reached("coordination answer lost");
            }
            case DELAY_REQUEST -> {
                faults().delayRequest(client, nth);
                cluster.world().scheduler().after(fault.durationNs(), () -> faults().deliverDelayed(client));
                nemesis.reached("coordination request applied late");
            }
            case HOLD_WATCHES -> {
                faults().holdDeliveries(client);
                cluster.world().scheduler().after(fault.durationNs(), () -> faults().releaseDeliveries(client));
            }
            default -> {
                faults().forceResync(client);
                nemesis.reached("watch resynchronized");
            }
        }
        return true;
    }

    private void lose(SimBroker broker, long forNs, boolean notices) {
        SimBroker.Life life = broker.life();
        Coordination client = clientOf(broker);
        if (life == null || client == null) {
            return;
        }
        if (notices) {
            faults().disconnect(client);
        } else {
            faults().partition(client);
        }
        cluster.world().scheduler().after(forNs, () -> {
            if (broker.life() == life && !life.isPaused()) {
                faults().heal(client);
            }
        });
    }
}
