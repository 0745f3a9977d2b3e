package io.tidemark.log;

import io.tidemark.log.io.SystemFileSystem;
import java.nio.file.Path;
import org.agrona.concurrent.SystemNanoClock;

/** A wall clock that tests set. */
final class TestClock {
    private volatile long timeMs;

    TestClock(long timeMs) {
        this.timeMs = timeMs;
    }

    void set(long time) {
        timeMs = time;
    }

    /** A store on the machine's file system that goes by this clock. */
    LogStore store(Path folder) {
        return LogStore.open(
                folder, LogStoreConfig.defaults(), new SystemFileSystem(), () -> timeMs, SystemNanoClock.INSTANCE);
    }
}
