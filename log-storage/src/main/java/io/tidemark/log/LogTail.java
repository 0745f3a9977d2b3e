package io.tidemark.log;

import java.time.Duration;
import java.util.Optional;

/**
 * Follows a log from an offset on and waits at its end, without spinning. Records are taken one by one, as copies, or
 * by a handler, in place. It waits for what was appended, not for what was forced. Not thread-safe; appends and other
 * tails go on meanwhile.
 */
public final class LogTail implements AutoCloseable {
    private static final int READ_BYTES = 1 << 20;

    private final Log log;
    private final LogState state;
    private final LogSlice slice = new LogSlice();
    private final RecordBatch batch = new RecordBatch();
    private int batchAt;
    private int sliceEnd;
    private RecordCursor cursor;
    private boolean hasCursor;
    private long position;
    private boolean closed;

    /**
     * A tail.
     *
     * @param log to follow
     * @param state of the log
     * @param fromOffset first offset wanted
     */
    LogTail(Log log, LogState state, long fromOffset) {
        this.log = log;
        this.state = state;
        this.position = fromOffset;
        this.cursor = new RecordCursor();
        state.signal.opened();
    }

    /**
     * The offset that is wanted next.
     *
     * @return an offset
     */
    public long position() {
        return position;
    }

    /**
     * Takes the next record, and waits for it.
     *
     * @param timeout longest wait; zero does not wait
     * @return a copy of the record, empty when none came in time
     * @throws InterruptedException when the caller is interrupted while it waits
     * @throws OffsetOutOfRangeException when the position was deleted or truncated; the exception says where the log
     *     begins
     * @throws IllegalStateException when the log or this was closed
     * @throws StorageException when the disk cannot read or the log is damaged
     */
    public Optional<LogRecord> next(Duration timeout) throws InterruptedException {
        if (!advance() && !(await(timeout) && advance())) {
            return Optional.empty();
        }
        return Optional.of(take());
    }

    /**
     * Takes the record that the cursor stands on.
     *
     * @return a copy
     */
    LogRecord take() {
        final LogRecord record = new LogRecord(
                cursor.offset(),
                cursor.timestamp(),
                cursor.keyLength() < 0 ? null : cursor.key(),
                cursor.valueLength() < 0 ? null : cursor.value());
        position = record.offset() + 1;
        return record;
    }

    /**
     * Hands records to a handler: those that are there, or, after a wait, those that came.
     *
     * @param handler called by the caller's thread; when it throws, the record counts as taken
     * @param recordsMax most records, 1 or more
     * @param timeout longest wait for the first; zero does not wait
     * @return the number of records handed out, 0 when none came in time
     * @throws InterruptedException when the caller is interrupted while it waits
     * @throws OffsetOutOfRangeException when the position was deleted or truncated
     * @throws IllegalStateException when the log or this was closed
     * @throws StorageException when the disk cannot read or the log is damaged
     */
    public int poll(RecordHandler handler, int recordsMax, Duration timeout) throws InterruptedException {
        if (recordsMax < 1) {
            throw new IllegalArgumentException("recordsMax=" + recordsMax + " is below 1");
        }
        int count = 0;
        while (count < recordsMax && (advance() || (count == 0 && await(timeout) && advance()))) {
            position = cursor.offset() + 1;
            count++;
            handler.onRecord(cursor);
        }
        return count;
    }

    private boolean await(Duration timeout) throws InterruptedException {
        return state.signal.await(this::isClosedOrMore, state.clock, timeout.toNanos());
    }

    private boolean isClosedOrMore() {
        return state.closed || state.view.endOffset() > position;
    }

    /**
     * Sets the cursor on the next record at or behind the position.
     *
     * @return false when there is none yet
     */
    boolean advance() {
        if (closed) {
            throw new IllegalStateException("tail is closed: log=" + state.partition + "; open another one");
        }
        while (true) {
            while (hasCursor && cursor.next()) {
                if (cursor.offset() >= position) {
                    return true;
                }
            }
            hasCursor = false;
            if (batchAt < sliceEnd) {
                openBatch();
            } else if (!readOn()) {
                return false;
            }
        }
    }

    private void openBatch() {
        batch.wrap(slice.buffer(), batchAt, sliceEnd - batchAt);
        batchAt += batch.sizeInBytes();
        if (batch.isControl()) {
            position = Math.max(position, batch.nextOffset());
            return;
        }
        batch.ensureValid();
        cursor = batch.records();
        hasCursor = true;
    }

    private boolean readOn() {
        if (sliceEnd > 0) {
            // A batch may end with offsets that no record has.
            position = Math.max(position, slice.nextOffset());
        }
        sliceEnd = 0;
        batchAt = 0;
        if (!log.read(position, READ_BYTES, Long.MAX_VALUE, slice)) {
            return false;
        }
        batchAt = slice.index();
        sliceEnd = batchAt + slice.length();
        return true;
    }

    /** Gives back what it holds of the log. A second call does nothing. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            hasCursor = false;
            slice.close();
            state.signal.closed();
        }
    }
}
