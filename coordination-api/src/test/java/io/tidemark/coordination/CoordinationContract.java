package io.tidemark.coordination;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/**
 * The contract of a coordination back end. A back end proves itself by one subclass, which opens a
 * {@link CoordinationFixture} on the real service. The numbers of the cases are those of {@code
 * docs/coordination.md}.
 */
@Timeout(120)
public abstract class CoordinationContract
        implements KeyContract,
                VersionContract,
                SessionContract,
                WatchContract,
                FaultContract,
                ElectionContract,
                ElectionLossContract,
                HistoryContract {
    private @Nullable CoordinationFixture fixture;

    /** Opens the back end on an empty service. */
    protected abstract CoordinationFixture openFixture() throws Exception;

    @BeforeEach
    final void open() throws Exception {
        fixture = openFixture();
    }

    @AfterEach
    final void close() {
        fixture().close();
        fixture = null;
    }

    @Override
    public final CoordinationFixture fixture() {
        return Objects.requireNonNull(fixture, "the fixture is open while a test runs");
    }
}
