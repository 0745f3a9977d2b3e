package io.tidemark.log;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Bounds how many logs of a store keep their active segment mapped and open: the ones that were appended to least
 * recently let go of it. The bound is reached by maintenance and may be exceeded for a moment before. A log is asked
 * to let go by its owner; what nobody did yet is done when the same owner opens another one.
 */
final class OpenWriters {
    private static final int AT_ONCE_MAX = 256;

    private final int writersMax;
    private final Set<Log> due = ConcurrentHashMap.newKeySet();

    /**
     * A bound.
     *
     * @param writersMax most logs that keep their active segment open
     */
    OpenWriters(int writersMax) {
        this.writersMax = writersMax;
    }

    /**
     * Asks as many logs as are too many to let go. The maintenance thread; blocks for forces.
     *
     * @param logs of the store
     * @return the number of things done
     */
    int park(Collection<Log> logs) {
        int count = 0;
        for (final Log log : logs) {
            if (log.maintenance().hasWriter()) {
                count++;
            }
        }
        if (count <= writersMax) {
            return 0;
        }
        final List<Log> open = new ArrayList<>(count);
        for (final Log log : logs) {
            if (log.maintenance().hasWriter() && !log.isFailed() && !log.hasOwnerWork()) {
                open.add(log);
            }
        }
        open.sort(Comparator.comparingLong(log -> log.maintenance().changedMs()));
        int work = 0;
        final int asked = Math.min(open.size(), Math.min(AT_ONCE_MAX, count - writersMax));
        for (int i = 0; i < asked; i++) {
            try {
                work += open.get(i).maintenance().park();
            } catch (final StorageException | IllegalStateException e) {
                // It failed or was closed, and says so to whoever uses it.
            }
        }
        return work;
    }

    /**
     * Notes that a log waits for its owner.
     *
     * @param log with work for its owner
     */
    void due(Log log) {
        due.add(log);
    }

    /** Does what is due for logs that the caller owns. */
    void doDueWork() {
        for (final Iterator<Log> all = due.iterator(); all.hasNext(); ) {
            final Log log = all.next();
            final boolean isOurs = log.hasOwnerWork() && log.maintenance().isOwnedByCaller();
            if (isOurs || !log.hasOwnerWork()) {
                all.remove();
            }
            if (isOurs) {
                try {
                    log.doOwnerWork();
                } catch (final StorageException | IllegalStateException e) {
                    // That log has failed or was closed; the one that is appended to has not.
                }
            }
        }
    }

    /**
     * Forgets a log.
     *
     * @param log that was closed
     */
    void closed(Log log) {
        due.remove(log);
    }
}
