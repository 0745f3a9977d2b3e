package io.tidemark.coordination;

/** The part of {@link CoordinationContract} about elections above the back end: cases 53 to 58. */
public abstract class ElectionSuite extends ContractSuite implements ElectionContract, ElectionLossContract {
    /** For subclasses. */
    protected ElectionSuite() {}
}
