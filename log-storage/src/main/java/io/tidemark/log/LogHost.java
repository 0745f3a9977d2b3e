package io.tidemark.log;

import io.tidemark.log.segment.DiskReserve;
import io.tidemark.log.segment.DyingFiles;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;

/**
 * What a store has for all of its logs. Immutable; any thread.
 *
 * @param owner how logs call back
 * @param dying files that wait for their last lease
 * @param reserve what is asked before blocks are written
 * @param wallClock stamps records
 * @param clock measures waits
 */
record LogHost(LogOwner owner, DyingFiles dying, DiskReserve reserve, EpochClock wallClock, NanoClock clock) {}
