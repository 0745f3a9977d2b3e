package io.tidemark.tools.verify;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Checks the folder of one partition: its batches, what is derived from them, and that there is nothing else in it. */
final class PartitionCheck {
    /** Names the topic id. */
    static final String METADATA = "partition.metadata";

    private static final Pattern KNOWN =
            Pattern.compile("\\d{20}\\.(log|index|timeindex|txnindex|summary|snapshot|truncated)"
                    + "|leader-epoch-checkpoint|partition\\.metadata|tidemark\\.(recovered|failed)");
    private static final Pattern LEFT_OVER = Pattern.compile(".*\\.(tmp|deleted|cleaned|swap)");
    private static final Pattern TOPIC_ID = Pattern.compile("version: 0\\ntopic_id: ([A-Za-z0-9_-]{22})\\n?");

    private final Path folder;
    private final StopState stop;
    private final boolean gapsAllowed;
    private final Consumer<Finding> findings;
    private final EpochCheck epochs;
    private long startOffset;
    private long endOffset;
    private int lastEpoch = Integer.MIN_VALUE;
    private boolean isWhole = true;
    private @Nullable String topicId;

    /**
     * Prepares.
     *
     * @param folder a partition folder
     * @param stop how it was left
     * @param gapsAllowed whether offsets may be missing between batches
     * @param findings receives what is wrong
     */
    PartitionCheck(Path folder, StopState stop, boolean gapsAllowed, Consumer<Finding> findings) {
        this.folder = folder;
        this.stop = stop;
        this.gapsAllowed = gapsAllowed;
        this.findings = findings;
        this.epochs = new EpochCheck(folder, findings);
    }

    private void find(Path file, long position, String what, String advice) {
        findings.accept(new Finding(file, position, what, advice));
    }

    /**
     * Checks the folder.
     *
     * @throws IOException if it cannot be read
     */
    void run() throws IOException {
        checkNames();
        checkMetadata();
        List<Path> segments = PartitionReader.segmentsOf(folder);
        if (segments.isEmpty()) {
            find(folder, 0, "the folder of a log holds no segment", Finding.LOST);
            return;
        }
        startOffset = baseOffset(segments.get(0));
        endOffset = startOffset;
        for (int i = 0; i < segments.size(); i++) {
            boolean isLast = i == segments.size() - 1;
            checkSegment(segments.get(i), isLast ? Long.MAX_VALUE : baseOffset(segments.get(i + 1)));
        }
        if (stop.isClean() && isWhole) {
            epochs.finish();
        }
    }

    private void checkNames() throws IOException {
        for (Path entry : entriesOf(folder)) {
            String name = String.valueOf(entry.getFileName());
            if (Files.isDirectory(entry)) {
                find(entry, 0, "foreign folder in the folder of a log", "move it away");
            } else if (LEFT_OVER.matcher(name).matches()) {
                checkLeftOver(entry, "left-over file of an action that was not finished");
            } else if (!KNOWN.matcher(name).matches()) {
                find(entry, 0, "foreign file in the folder of a log", "move it away");
            } else if (name.endsWith(".truncated")) {
                checkLeftOver(entry, "mark of a truncation that was not finished");
            } else if (name.endsWith("index") && !Files.exists(logOf(entry))) {
                checkLeftOver(entry, "index without a segment");
            }
        }
    }

    /**
     * The entries of a folder.
     *
     * @param folder to list
     * @return paths, sorted by name
     * @throws IOException if it cannot be read
     */
    static List<Path> entriesOf(Path folder) throws IOException {
        List<Path> entries = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder)) {
            found.forEach(entries::add);
        }
        entries.sort(null);
        return entries;
    }

    /** The next start removes these; after a clean stop there are none. */
    private void checkLeftOver(Path file, String what) {
        if (stop.isClean()) {
            find(file, 0, what, "nothing needs it: the next start after an unclean stop removes it, or delete it");
        }
    }

    private static Path logOf(Path file) {
        String name = String.valueOf(file.getFileName());
        return file.resolveSibling(name.substring(0, name.indexOf('.')) + ".log");
    }

    private void checkMetadata() throws IOException {
        Path file = folder.resolve(METADATA);
        String text = SmallFiles.read(file);
        if (text == null) {
            find(file, 0, "the file with the topic id is missing", "restore it; a broker moves such a folder aside");
            return;
        }
        Matcher match = TOPIC_ID.matcher(text);
        if (match.matches()) {
            topicId = match.group(1);
        } else {
            find(file, 0, "the file names no topic id", "restore it; a broker moves such a folder aside");
        }
    }

    private void checkSegment(Path file, long nextBase) throws IOException {
        boolean isLast = nextBase == Long.MAX_VALUE;
        long base = baseOffset(file);
        if (base > endOffset && !gapsAllowed) {
            find(
                    file,
                    0,
                    "offsets are missing in front of the segment: from=" + endOffset + ", to=" + base,
                    Finding.LOST + " (or use --allow-gaps for a log that was copied from a compacted one)");
        }
        endOffset = Math.max(endOffset, base);
        List<Consumer<LoggedBatch>> checks = new ArrayList<>();
        List<Runnable> ends = new ArrayList<>();
        addIndexChecks(file, base, checks, ends);
        try (SegmentCheck reader = new SegmentCheck(file, liveSize(file))) {
            readBatches(file, base, nextBase, reader, checks);
            if (reader.problem() != null) {
                checkTail(file, isLast, reader);
            }
            if (reader.problem() == null || reader.isZeroFromHere()) {
                ends.forEach(Runnable::run);
            }
        }
    }

    private void readBatches(
            Path file, long base, long nextBase, SegmentCheck reader, List<Consumer<LoggedBatch>> checks)
            throws IOException {
        for (LoggedBatch batch = next(reader); batch != null; batch = next(reader)) {
            if (batch.baseOffset() >= nextBase && !stop.isClean()) {
                // What a truncation left behind the end; the next start cuts it.
                return;
            }
            checkOrder(file, base, nextBase, batch);
            if (batch.lastOffset() < nextBase) {
                // A wrong offset is reported once, and not with every batch after it.
                endOffset = Math.max(endOffset, batch.lastOffset() + 1);
            }
            lastEpoch = Math.max(lastEpoch, batch.leaderEpoch());
            for (Consumer<LoggedBatch> check : checks) {
                check.accept(batch);
            }
            epochs.onBatch(batch);
        }
    }

    private @Nullable LoggedBatch next(SegmentCheck reader) throws IOException {
        return reader.next(damaged -> {
            isWhole = false;
            String message = String.valueOf(damaged.getMessage());
            // The message ends with file and position, which the line of a finding begins with.
            find(
                    damaged.file(),
                    damaged.position(),
                    message.substring(0, message.lastIndexOf(": file=")),
                    stop.mayBeTornAt(endOffset) ? tornAdvice() : Finding.FETCH);
        });
    }

    private static String tornAdvice() {
        return "the log was not closed and this is behind its recovery point: the next start cuts it";
    }

    private void checkOrder(Path file, long base, long nextBase, LoggedBatch batch) {
        String problem = null;
        if (batch.baseOffset() < endOffset) {
            problem = batch.baseOffset() < base && endOffset == base
                    ? "batch is below the base offset of its segment: baseOffset=" + batch.baseOffset()
                    : "offsets overlap: baseOffset=" + batch.baseOffset() + ", expected at least=" + endOffset;
        } else if (batch.lastOffset() >= nextBase) {
            problem =
                    "batch reaches into the next segment: lastOffset=" + batch.lastOffset() + ", next base=" + nextBase;
        } else if (batch.baseOffset() > endOffset && !gapsAllowed) {
            problem = "offsets are missing in front of the batch: from=" + endOffset + ", to=" + batch.baseOffset();
        } else if (batch.leaderEpoch() < lastEpoch) {
            problem = "leader epochs go back: baseOffset=" + batch.baseOffset() + ", leaderEpoch=" + batch.leaderEpoch()
                    + ", before=" + lastEpoch;
        }
        if (problem != null) {
            find(file, batch.position(), problem, stop.mayBeTornAt(endOffset) ? tornAdvice() : Finding.FETCH);
        }
    }

    /** What stands behind the last batch of a file. */
    private void checkTail(Path file, boolean isLast, SegmentCheck reader) throws IOException {
        if (!reader.isZeroFromHere()) {
            isWhole = false;
            boolean mayBeTorn = stop.mayBeTornAt(endOffset);
            find(
                    file,
                    reader.position(),
                    (mayBeTorn ? "torn tail: " : "damage: ") + reader.problem() + ", offset=" + endOffset,
                    mayBeTorn ? tornAdvice() : Finding.FETCH);
        } else if (stop.isClean() || (!isLast && endOffset < stop.recoveryPoint())) {
            find(
                    file,
                    reader.position(),
                    "unused zeros behind the last batch of a file that was closed: offset=" + endOffset,
                    isLast
                            ? "the log was not closed; the next start cuts them, Kafka's tools stop at them"
                            : Finding.LOST);
        }
    }

    /** Where a truncation says that the live part of a file ends; what is behind it is dead. */
    private long liveSize(Path file) throws IOException {
        Path mark = Path.of(file.toString().replaceFirst("\\.log$", ".truncated"));
        String text = SmallFiles.read(mark);
        if (text == null) {
            return Long.MAX_VALUE;
        }
        try {
            Map<String, String> values = SmallFiles.values(SmallFiles.unsealed(mark, text));
            long size = SmallFiles.number(values.get("sizeBytes"));
            if (size >= 0 && "1".equals(values.get("version"))) {
                return size;
            }
            find(mark, 0, "mark of a truncation says no size", Finding.FETCH);
        } catch (DamagedLogException damaged) {
            find(mark, 0, "mark of a truncation is damaged: " + damaged.getMessage(), Finding.FETCH);
        }
        return Long.MAX_VALUE;
    }

    private void addIndexChecks(Path file, long base, List<Consumer<LoggedBatch>> checks, List<Runnable> ends)
            throws IOException {
        if (!stop.isClean()) {
            // Indexes are not forced: after an unclean stop they may hold anything, and are built anew.
            return;
        }
        Path index = Path.of(file.toString().replaceFirst("\\.log$", ".index"));
        if (Files.exists(index)) {
            IndexCheck check = new IndexCheck(index, base, findings);
            checks.add(check::onBatch);
            ends.add(check::finish);
        } else {
            find(index, 0, "the offset index of a segment is missing", "the next start builds it from the batches");
        }
        Path timeIndex = Path.of(file.toString().replaceFirst("\\.log$", ".timeindex"));
        if (Files.exists(timeIndex)) {
            TimeIndexCheck check = new TimeIndexCheck(timeIndex, base, findings);
            checks.add(check::onBatch);
            ends.add(check::finish);
        }
    }

    private static long baseOffset(Path file) {
        return Long.parseLong(String.valueOf(file.getFileName()).substring(0, 20));
    }

    /**
     * Where the log begins.
     *
     * @return the base of its first segment
     */
    long startOffset() {
        return startOffset;
    }

    /**
     * Where the log ends.
     *
     * @return the offset after the last batch
     */
    long endOffset() {
        return endOffset;
    }

    /**
     * The id in the folder.
     *
     * @return the topic id as it is written, null if there is none
     */
    @Nullable
    String topicId() {
        return topicId;
    }
}
