package io.tidemark.coordination.local;

import io.tidemark.coordination.CoordinationContract;
import io.tidemark.coordination.CoordinationFixture;

/** The contract on the in-memory back end, on a virtual clock. */
final class LocalContractTest extends CoordinationContract {
    @Override
    protected CoordinationFixture openFixture() {
        return LocalFixture.virtual();
    }
}
