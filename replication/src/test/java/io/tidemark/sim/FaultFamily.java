package io.tidemark.sim;

/** Kinds of faults that belong together, and how they are done. A new family is a new file and a line in Nemesis. */
interface FaultFamily {
    /**
     * Does a fault, and sees to it that it ends.
     *
     * @param fault one of this family
     * @param broker whom it meets
     * @return false if nothing could happen
     */
    boolean strike(Fault fault, SimBroker broker);
}
