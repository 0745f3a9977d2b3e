package io.tidemark.coordination.local;

import io.tidemark.coordination.CoordinationContract;
import io.tidemark.coordination.CoordinationFixture;
import io.tidemark.coordination.IdleContract;

/** The contract on the in-memory back end in real time: the store's own thread renews and expires. */
final class LocalRealTimeContractTest extends CoordinationContract implements IdleContract {
    @Override
    protected CoordinationFixture openFixture() {
        return LocalFixture.realTime();
    }
}
