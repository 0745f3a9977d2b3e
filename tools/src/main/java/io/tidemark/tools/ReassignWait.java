package io.tidemark.tools;

import io.tidemark.client.Admin;
import io.tidemark.client.PartitionDescription;
import io.tidemark.client.PartitionMove;
import io.tidemark.tools.system.Machine;
import io.tidemark.tools.system.Terminal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Waits for moves of replicas to end, and shows how far they are. */
final class ReassignWait {
    private static final int BAR_WIDTH = 30;
    private static final long LOOK_NS = 200_000_000;
    private static final double SECOND_NS = 1e9;

    private final Terminal terminal;
    private final Admin admin;

    /**
     * Prepares.
     *
     * @param terminal its standard error shows a bar if a person looks at it
     * @param admin of the cluster
     */
    ReassignWait(Terminal terminal, Admin admin) {
        this.terminal = terminal;
        this.admin = admin;
    }

    /**
     * Waits.
     *
     * @param moves the moves
     * @param seconds how long at most
     * @return false if some were still under way when the time was over
     */
    boolean await(List<PartitionMove> moves, double seconds) {
        long beganNs = Machine.nanoTime();
        while (true) {
            int open = open(moves);
            boolean isOver = Machine.nanoTime() - beganNs > seconds * SECOND_NS;
            if (terminal.isInteractive()) {
                terminal.err().print("\r" + bar(moves.size() - open, moves.size()));
            }
            if (open == 0 || isOver) {
                if (terminal.isInteractive()) {
                    terminal.err().println();
                }
                terminal.out().println("moved=" + (moves.size() - open) + " underWay=" + open);
                return open == 0;
            }
            Machine.park(LOOK_NS);
        }
    }

    private int open(List<PartitionMove> moves) {
        Map<String, List<PartitionDescription>> topics = new HashMap<>();
        int open = 0;
        for (PartitionMove move : moves) {
            PartitionDescription partition = topics.computeIfAbsent(
                            move.topic(), topic -> admin.describeTopic(topic).partitions())
                    .get(move.partition());
            open += partition.isReassigning() ? 1 : 0;
        }
        return open;
    }

    private static String bar(int done, int all) {
        int filled = all == 0 ? BAR_WIDTH : BAR_WIDTH * done / all;
        return "[" + "#".repeat(filled) + ".".repeat(BAR_WIDTH - filled) + "] " + done + "/" + all + " moved";
    }
}
