package io.tidemark.coordination;

/** The part of {@link CoordinationContract} about the back end itself: cases 1 to 52 and 59. */
public abstract class ServiceSuite extends ContractSuite
        implements KeyContract, VersionContract, SessionContract, WatchContract, FaultContract, HistoryContract {
    /** For subclasses. */
    protected ServiceSuite() {}
}
