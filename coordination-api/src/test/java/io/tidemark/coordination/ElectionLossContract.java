package io.tidemark.coordination;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Cases 53, 54 and 58 under many forced losses. */
interface ElectionLossContract extends ContractCase {
    /** For each of the two ways to elect: 200 in all. */
    int LOSSES = 100;

    /** How many leaders lose their sessions in each of the two ways; fewer on a second service of the same back end. */
    default int losses() {
        return LOSSES;
    }

    // Cases 53, 54 and 58; CO-11: the service ends the leader's session, again and again, without asking it.
    @ParameterizedTest
    @EnumSource
    @Timeout(300)
    default void shouldFenceEachLeaderThatLosesItsSession(LeaderElection.Mode mode) {
        long seed = Long.getLong("tidemark.seed", 53);
        String replay = "seed=" + seed + " of shouldFenceEachLeaderThatLosesItsSession, mode=" + mode + " on "
                + fixture().getClass().getSimpleName() + "; replay with -Dtidemark.seed=" + seed;
        System.out.println(replay);
        try {
            new ElectionLosses(this, mode, seed).play(losses());
        } catch (AssertionError failed) {
            throw new AssertionError(replay, failed);
        }
    }
}
