package io.tidemark.sim;

import io.tidemark.log.io.FaultyFileSystem;
import io.tidemark.log.io.NoSpaceException;
import java.io.IOException;

/** Disks that fail, or are full. */
final class DiskFaults implements FaultFamily {
    private final SimCluster cluster;
    private final Nemesis nemesis;

    DiskFaults(SimCluster cluster, Nemesis nemesis) {
        this.cluster = cluster;
        this.nemesis = nemesis;
    }

    @Override
    public boolean strike(Fault fault, SimBroker broker) {
        // After a failed write or force nobody knows what the broker has lost.
        boolean mayLose = fault.kind() != Fault.Kind.DISK_FULL;
        if (!broker.isRunning() || (mayLose && !nemesis.leavesIntactMember(broker))) {
            return false;
        }
        FaultyFileSystem disk = broker.disk();
        int nth = 1 + fault.number() % 20;
        switch (fault.kind()) {
            case WRITE_ERROR -> {
                disk.failNth(FaultyFileSystem.Call.WRITE, nth, new IOException("injected: write"));
                nemesis.reached("write failed");
            }
            case FORCE_ERROR -> disk.failNth(FaultyFileSystem.Call.FORCE, nth, new IOException("injected: force"));
            default -> {
                disk.failNth(FaultyFileSystem.Call.WRITE, nth, new NoSpaceException("injected: no space"));
                nemesis.reached("disk full");
            }
        }
        cluster.oracle().onDiskFault(broker);
        return true;
    }

    /** Ends the faults of a disk. */
    static void heal(FaultyFileSystem disk) {
        disk.crashAt(Long.MAX_VALUE / 2);
        disk.heal();
    }
}
