package io.tidemark.coordination;

/**
 * The contract of a coordination back end. A back end proves itself by one subclass, which opens a
 * {@link CoordinationFixture} on the real service. The numbers of the cases are those of {@code
 * docs/coordination.md}. {@link ServiceSuite} and {@link ElectionSuite} together are the same, for back ends that run
 * both at the same time.
 */
public abstract class CoordinationContract extends ContractSuite
        implements KeyContract,
                VersionContract,
                SessionContract,
                WatchContract,
                FaultContract,
                ElectionContract,
                ElectionLossContract,
                HistoryContract {
    /** For subclasses. */
    protected CoordinationContract() {}
}
