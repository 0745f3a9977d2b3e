package io.tidemark.sim;

import static io.tidemark.sim.SimStory.SECOND_NS;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.sim.History.Outcome;
import io.tidemark.sim.History.Sent;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The cases of public bug reports that need a whole cluster, each as a story with the oracle watching. */
class SimStoryTest {
    // RP-01, R=2, minIsr=1: the follower restarts with an old high watermark, and the leader dies before it has
    // fetched.
    @Test
    void shouldKeepCommittedRecordsWhenTheFollowerRestartsAndTheLeaderDies() {
        try (SimStory story = new SimStory(3, 2, 1)) {
            SimBroker leader = story.leader();
            SimBroker follower = story.replica(0, leader);
            story.commit(5);
            story.kill(follower);
            story.start(follower);
            story.kill(leader);

            story.awaitLeader(follower);
            assertEquals(5, story.log(follower).end());
            story.commit(1);
            story.end();
        }
    }

    // RP-03, R=3, minIsr=1: C lags behind what the old leader had committed, and the new one knows less of that.
    @Test
    void shouldNotLetALaggardBackBeforeItHasWhatTheOldLeaderCommitted() {
        try (SimStory story = new SimStory(3, 3, 1)) {
            SimBroker a = story.leader();
            SimBroker b = story.replica(0, a);
            SimBroker c = story.replica(0, a, b);
            story.isolate(c);
            story.commit(3);
            story.awaitInSync(c, false);
            story.commit(10);
            story.kill(a);
            story.awaitLeader(b);
            story.mend(c);
            story.awaitInSync(c, true);
            assertTrue(story.log(c).end() >= 13, () -> "logEnd=" + story.log(c).end());
            story.kill(b);
            story.awaitLeader(c);
            story.commit(1);
            story.end();
        }
    }

    // RP-06, R=3, minIsr=1: F misses an epoch, has a tail of the one before, and then its old leader leads again.
    @Test
    void shouldCutTheTailAlsoWhenTheLeaderIsTheSameAgain() {
        try (SimStory story = new SimStory(3, 3, 1)) {
            SimBroker a = story.leader();
            SimBroker b = story.replica(0, a);
            SimBroker f = story.replica(0, a, b);
            story.commit(2);
            story.cut(a, b);
            story.appendAtLeader();
            story.await("F has the tail", () -> story.log(f).end() == 3);
            story.isolate(f);
            story.kill(a);
            story.awaitLeader(b);
            story.commit(4);
            story.mend(a, b);
            story.start(a);
            story.awaitInSync(a, true);
            story.kill(b);
            story.awaitLeader(a);
            story.mend(f);
            story.await(
                    "F follows A again",
                    () -> story.log(f).epoch == story.record().leaderEpoch());
            story.end();
            assertEquals(story.truth().committedEnd(), story.log(f).end());
        }
    }

    // RP-10, R=3, minIsr=2: the last replica standing takes records of acks LEADER, and then loses its tail.
    @Test
    void shouldNeitherCommitNorLoseAnythingWithTheLastReplicaStanding() {
        try (SimStory story = new SimStory(3, 3, 2)) {
            SimBroker c = story.leader();
            SimBroker a = story.replica(0, c);
            SimBroker b = story.replica(0, c, a);
            story.commit(3);
            story.kill(a);
            story.kill(b);
            story.await("the ISR is C alone", () -> story.record().isr().size() == 1);
            long committed = story.truth().committedEnd();
            Sent refused = story.send(1)[0];
            story.await("an outcome", () -> refused.outcome != Outcome.PENDING);
            assertEquals(Outcome.REFUSED, refused.outcome);
            story.appendAtLeader();
            story.appendAtLeader();
            assertEquals(committed, story.truth().committedEnd());
            story.powerOff(c);
            story.start(a);
            story.start(b);

            story.awaitOtherLeader(c);
            story.commit(1);
            story.start(c);
            story.awaitInSync(c, true);
            story.end();
            assertTrue(story.cluster.oracle().sometimes().counts().containsKey("eligible leader elected"));
        }
    }

    // RP-11, R=3, minIsr=2: the write that lets B join is late, and B has lost everything by then.
    @Test
    void shouldRefuseTheJoinOfAReplicaThatHasLostEverythingMeanwhile() {
        try (SimStory story = new SimStory(3, 3, 2)) {
            SimBroker a = story.leader();
            SimBroker b = story.replica(0, a);
            story.isolate(b);
            story.commit(5);
            story.awaitInSync(b, false);
            SimCoordination way = story.life(a).coordination;
            way.holdCommits();
            story.mend(b);
            story.await("the write is under way", () -> way.heldCommits() > 0);
            story.replaceDisk(b);
            way.releaseCommits();
            story.awaitInSync(b, true);
            story.kill(a);
            story.awaitOtherLeader(a);
            story.commit(1);
            story.end();
        }
    }

    // RP-14, R=3, minIsr=1: consumers have read everything when the leader dies; the oracle asks for the end each step.
    @Test
    void shouldNotShowAnEarlierEndAfterAnElection() {
        try (SimStory story = new SimStory(3, 3, 1)) {
            SimBroker a = story.leader();
            SimBroker b = story.replica(0, a);
            story.commit(20);
            story.await("all is read", () -> story.client.positionOf(0) == 20);
            story.cluster.network().slowDown(a.machine.host, b.machine.host, 1_000_000);
            story.commit(5);
            story.await("all is read", () -> story.client.positionOf(0) == 25);
            story.kill(a);
            story.awaitOtherLeader(a);
            story.commit(1);
            story.end();
        }
    }

    // RP-16, R=3: all restart while nobody can be elected, and again before anybody was.
    @Test
    void shouldKeepEverythingThroughRestartsWithoutALeader() {
        try (SimStory story = new SimStory(3, 3, 2)) {
            story.commit(10);
            story.runFor(6 * SECOND_NS);
            story.cluster.brokers().forEach(story::kill);
            story.cluster.brokers().forEach(story::start);
            story.cluster.brokers().forEach(story::cutFromCoordination);
            story.runFor(12 * SECOND_NS);
            story.cluster.brokers().forEach(story::kill);
            story.cluster.brokers().forEach(story::start);
            story.commit(1);
            story.end();
        }
    }

    // RP-17 (a), (d): an idle topic for ten lag times, then single records far apart: nobody leaves the ISR.
    @Test
    void shouldNotChangeTheIsrOfAnIdleTopic() {
        try (SimStory story = new SimStory(3, 3, 2)) {
            story.commit(1);
            int writes = story.cluster.oracle().recordWrites();
            story.runFor(30 * SECOND_NS);
            for (int i = 0; i < 5; i++) {
                story.commit(1);
                story.runFor(27 * SECOND_NS / 10);
            }
            assertEquals(writes, story.cluster.oracle().recordWrites());
            story.end();
        }
    }

    // RP-17 (e), R=3, minIsr=2: the leader is cut from its followers, but not from coordination.
    @Test
    void shouldRefuseRatherThanLoseWhenTheLeaderIsCutFromItsFollowers() {
        try (SimStory story = new SimStory(3, 3, 2)) {
            SimBroker a = story.leader();
            story.commit(3);
            story.isolate(a);
            Sent early = story.send(1)[0];
            story.await(
                    "the ISR is the leader alone", () -> story.record().isr().size() == 1);
            Sent late = story.send(1)[0];
            story.await("an outcome", () -> late.outcome != Outcome.PENDING);
            assertTrue(early.outcome != Outcome.OK && late.outcome != Outcome.OK, () -> early + " " + late);
            story.mend(a);
            story.end();
        }
    }

    // RP-22, R=3: the disk of a follower is replaced by an empty one, and nothing is written.
    @Test
    void shouldFillAnEmptyDiskWithoutNewRecords() {
        try (SimStory story = new SimStory(3, 3, 2)) {
            SimBroker follower = story.replica(0, story.leader());
            story.commit(30);
            story.replaceDisk(follower);
            story.await(
                    "it is back",
                    () -> story.isInSync(follower) && story.log(follower).end() == 30);
            story.end();
        }
    }

    // RP-23, R=3: the leader and one follower do not see each other, the third broker sees both.
    @Test
    void shouldChangeTheIsrOnceWhenOnePathIsCut() {
        try (SimStory story = new SimStory(3, 3, 2)) {
            SimBroker a = story.leader();
            SimBroker b = story.replica(0, a);
            story.commit(3);
            int writes = story.cluster.oracle().recordWrites();
            story.cut(a, b);
            story.commit(3);
            story.runFor(30 * SECOND_NS);
            story.commit(3);
            assertEquals(writes + 1, story.cluster.oracle().recordWrites());
            assertEquals(a, story.leader());
            story.mend(a, b);
            story.awaitInSync(b, true);
            story.end();
        }
    }

    // RP-24, R=3, minIsr=2: the leader stands still with records under way, and goes on when another one leads.
    @Test
    void shouldAcknowledgeNothingOfAnEpochThatIsOver() {
        try (SimStory story = new SimStory(3, 3, 2)) {
            SimBroker a = story.leader();
            story.commit(3);
            story.send(20);
            story.runFor(300_000);
            SimBroker.Life life = story.life(a);
            life.pause(8 * SECOND_NS);
            story.cutFromCoordination(a);
            story.awaitOtherLeader(a);
            story.commit(5);
            story.mendCoordination(a);
            life.resume();
            story.runFor(SECOND_NS);
            story.commit(1);
            story.end();
        }
    }

    // RP-25, R=5, minIsr=1: the ISR shrinks to the leader, which acknowledges alone and dies: nobody takes its place.
    @Test
    void shouldStayWithoutALeaderRatherThanForgetWhatTheLastOneAcknowledged() {
        try (SimStory story = new SimStory(5, 5, 1)) {
            SimBroker a = story.leader();
            story.commit(3);
            story.isolate(a);
            story.commit(3);
            assertEquals(1, story.record().isr().size());
            story.kill(a);
            story.mend(a);
            int epoch = story.record().leaderEpoch();
            story.runFor(15 * SECOND_NS);
            assertEquals(epoch, story.record().leaderEpoch());
            story.start(a);
            story.awaitLeader(a);
            story.commit(1);
            story.end();
        }
    }

    // RP-26, R=3, minIsr=2: the leader's machine loses power and its tail, and is back before its session ends.
    @Test
    void shouldNotLetALeaderGoOnThatHasLostItsTail() {
        try (SimStory story = new SimStory(3, 3, 2)) {
            SimBroker a = story.leader();
            int epoch = story.record().leaderEpoch();
            story.commit(10);
            story.powerOff(a);
            story.start(a);

            story.awaitOtherLeader(a);
            assertTrue(story.record().leaderEpoch() > epoch);
            story.commit(1);
            story.awaitInSync(a, true);
            story.end();
        }
    }

    // R=3, minIsr=1: f+1 replicas survive f failures, also when both that fail lead, one after the other.
    @Test
    void shouldKeepEverythingWhenTwoLeadersInARowDie() {
        try (SimStory story = new SimStory(3, 3, 1)) {
            SimBroker first = story.leader();
            story.commit(5);
            story.kill(first);
            SimBroker second = story.awaitOtherLeader(first);
            story.commit(5);
            story.kill(second);
            SimBroker third = story.awaitOtherLeader(second);
            story.commit(5);
            assertEquals(15, story.log(third).highWatermark);
            story.await("all is read", () -> story.client.positionOf(0) == 15);
            story.end();
        }
    }

    // R=3: all processes are killed at once; the page caches live, so that nobody has lost anything.
    @Test
    void shouldKeepEverythingWhenAllProcessesAreKilledAtOnce() {
        try (SimStory story = new SimStory(3, 3, 2)) {
            story.commit(10);
            story.cluster.brokers().forEach(story::kill);
            story.runFor(10 * SECOND_NS);
            story.cluster.brokers().forEach(story::start);
            story.commit(1);
            assertEquals(11, story.truth().committedEnd());
            story.end();
        }
    }

    // R=1: the only replica is killed with records that nothing has forced.
    @Test
    void shouldKeepEverythingWhenTheOnlyReplicaIsKilled() {
        try (SimStory story = new SimStory(3, 1, 1)) {
            SimBroker only = story.leader();
            story.commit(10);
            story.kill(only);
            story.runFor(5 * SECOND_NS);
            story.start(only);
            story.commit(1);
            assertEquals(11, story.truth().committedEnd());
            story.end();
        }
    }

    // R=3, minIsr=2: nobody reaches coordination. The policy is STOP: nothing is taken, nobody is elected, nothing
    // lost.
    @Test
    void shouldTakeNothingWhileCoordinationIsLost() {
        try (SimStory story = new SimStory(3, 3, 2)) {
            story.commit(3);
            story.cluster.brokers().forEach(story::cutFromCoordination);
            story.runFor(5 * SECOND_NS);
            long end = story.log(story.leader()).end();
            int writes = story.cluster.oracle().recordWrites();
            Sent sent = story.send(1)[0];
            Sent atLeader = story.client.send(false);
            story.runFor(15 * SECOND_NS);
            assertTrue(sent.outcome != Outcome.OK && atLeader.outcome != Outcome.OK, () -> sent + " " + atLeader);
            assertEquals(end, story.log(story.leader()).end());
            assertEquals(writes, story.cluster.oracle().recordWrites());
            story.cluster.brokers().forEach(story::mendCoordination);
            story.end();
        }
    }

    // CL-06, R=1: the leader has the batch and dies before it answers; the next process knows the producer by its log.
    @Test
    void shouldStoreABatchOnceWhenItsLeaderDiesBeforeItAnswers() {
        try (SimStory story = new SimStory(3, 1, 1)) {
            SimBroker only = story.leader();
            Sent sent = story.send(1)[0];
            story.cutClient(only);
            story.await("the batch is stored", () -> story.log(only).end() == 1);
            story.kill(only);
            story.mendClient(only);
            story.start(only);
            story.await("an outcome", () -> sent.outcome != Outcome.PENDING);
            assertEquals(Outcome.OK, sent.outcome);
            assertEquals(1, story.log(only).end());
            story.commit(2);
            story.end();
            assertEquals(3, story.truth().committedEnd());
        }
    }

    // CL-06, KAFKA-9144's kin, R=3, minIsr=1: a batch is cut from a log whose broker leads again when it is sent again.
    @Test
    void shouldNotTakeACutBatchForAStoredOne() {
        try (SimStory story = new SimStory(3, 3, 1)) {
            SimBroker a = story.leader();
            SimBroker b = story.replica(0, a);
            SimBroker c = story.replica(0, a, b);
            story.commit(2);
            story.isolate(a);
            Sent sent = story.send(1)[0];
            story.await("the batch is stored", () -> story.log(a).end() == 3);
            story.cutClientBothWays(b);
            story.cutClientBothWays(c);
            story.cutFromCoordination(a);
            SimBroker next = story.awaitOtherLeader(a);
            story.mend(a);
            story.mendCoordination(a);
            story.await("the batch is cut", () -> story.log(a).end() == 2);
            story.awaitInSync(a, true);
            story.kill(next == b ? c : b);
            story.kill(next);
            story.awaitLeader(a);
            story.await("an outcome", () -> sent.outcome != Outcome.PENDING);
            assertEquals(Outcome.OK, sent.outcome);
            story.commit(1);
            story.mendClient(b);
            story.mendClient(c);
            story.end();
        }
    }

    // KIP-903, R=3, minIsr=2: B starts again, and its leader cannot write that yet: what B fetches is not its old
    // self's.
    @Test
    void shouldNotCountTheFetchesOfALaterProcess() {
        try (SimStory story = new SimStory(3, 3, 2)) {
            SimBroker a = story.leader();
            SimBroker b = story.replica(0, a);
            SimBroker c = story.replica(0, a, b);
            story.commit(3);
            story.isolate(c);
            story.commit(1);
            SimCoordination way = story.life(a).coordination;
            way.holdCommits();
            story.kill(b);
            story.restart(b);
            Sent sent = story.send(1)[0];
            story.await("B has it", () -> story.log(b).end() == 5);
            story.runFor(SECOND_NS);
            assertEquals(Outcome.PENDING, sent.outcome);
            way.releaseCommits();
            story.end();
        }
    }

    // KIP-320, R=3, minIsr=1: F, with a tail of its own, asks its old leader in the old epoch; that one leads again.
    @Test
    void shouldNotCountAFetchOfAnEpochThatIsOver() {
        try (SimStory story = new SimStory(3, 3, 1)) {
            SimBroker a = story.leader();
            SimBroker b = story.replica(0, a);
            SimBroker f = story.replica(0, a, b);
            story.commit(2);
            story.cut(a, b);
            story.appendAtLeader();
            story.await("F has the tail", () -> story.log(f).end() == 3);
            story.isolate(f);
            story.kill(a);
            story.awaitLeader(b);
            story.commit(1);
            story.mend(a, b);
            story.start(a);
            story.awaitInSync(a, true);
            story.kill(b);
            story.awaitLeader(a);
            story.mend(f, a);
            story.runFor(SECOND_NS);
            story.end();
        }
    }

    // KIP-279, R=3, minIsr=1: two leaders in a row leave a tail that the third one lacks, and the second one has both.
    @Test
    void shouldCutTheTailsThatTwoLeadersInARowLeft() {
        try (SimStory story = new SimStory(3, 3, 1)) {
            SimBroker a = story.leader();
            SimBroker b = story.replica(0, a);
            SimBroker c = story.replica(0, a, b);
            story.commit(2);
            story.cut(a, c);
            story.appendAtLeader();
            story.await("B has the tail", () -> story.log(b).end() == 3);
            story.kill(a);
            story.awaitLeader(b);
            story.cut(b, c);
            story.appendAtLeader();
            story.kill(b);
            story.awaitLeader(c);
            story.commit(2);
            story.mend(b, c);
            story.restart(b);
            story.end();
        }
    }

    // F05, R=3, minIsr=1: an older copy of a follower's folder is brought back; the follower must not lead before it
    // has
    // fetched what is missing, although nothing in the folder tells that it is old.
    @Test
    void shouldNotTrustAFolderThatWasBroughtBack() {
        try (SimStory story = new SimStory(3, 3, 1)) {
            SimBroker leader = story.leader();
            SimBroker follower = story.replica(0, leader);
            SimBroker other = story.replica(0, leader, follower);
            story.commit(3);
            Path copy = follower.backUp();
            story.kill(follower);
            story.restart(follower);
            story.awaitInSync(follower, true);
            story.commit(5);
            story.kill(follower);
            story.cluster.oracle().onPowerLost(follower);
            story.log(follower).flushed = 0;
            follower.restore(copy);
            story.kill(other);
            story.kill(leader);
            story.restart(follower);
            SeenBroker life = requireNonNull(story.cluster.oracle().lastLife(follower.id));
            assertEquals(life.incarnation(), life.intactSince());
            story.end();
            assertEquals(8, story.truth().committedEnd());
        }
    }

    // RP-13, R=3, minIsr=2: the high watermark is the log end when the log rolls, several times; nothing above is read.
    @Test
    void shouldShowNothingAboveTheHighWatermarkWhenTheLogRolls() {
        try (SimStory story = new SimStory(3, 3, 2)) {
            SimBroker leader = story.leader();
            story.commit(3);
            story.await("all is read", () -> story.client.positionOf(0) == 3);
            story.isolate(leader);
            for (int i = 0; i < 800; i++) {
                story.appendAtLeader();
            }
            assertEquals(803, story.log(leader).end());
            assertEquals(3, story.client.positionOf(0));
            assertEquals(3, story.truth().committedEnd());
            story.mend(leader);
            story.end();
        }
    }
}
