package io.tidemark.coordination.local;

import io.tidemark.coordination.CoordinationContract;
import io.tidemark.coordination.CoordinationFixture;

/** The contract on the in-memory back end in real time: the store's own thread renews and expires. */
final class LocalRealTimeContractTest extends CoordinationContract {
    @Override
    protected CoordinationFixture openFixture() {
        return LocalFixture.realTime();
    }
}
