package io.tidemark.coordination;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** Opens a {@link CoordinationFixture} for each case of the contract. */
@Timeout(120)
public abstract class ContractSuite implements ContractCase {
    private @Nullable CoordinationFixture fixture;

    /** For the suites. */
    ContractSuite() {}

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
