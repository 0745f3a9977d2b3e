package io.tidemark.log.segment;

import io.tidemark.log.io.MappedFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is to be done with files as soon as nobody holds a lease on their old mappings: delete them, or cut a dead tail.
 * Cutting a file under a mapping would kill whoever reads it. Any thread; the monitor is held while files are touched,
 * because it is nobody's critical path.
 */
public final class DyingFiles {
    /** Something done with a file. */
    @FunctionalInterface
    public interface FileAction {
        /**
         * Does it.
         *
         * @param isLeased whether somebody may still look at the file's old mapping: it must not be cut then
         * @throws IOException when it cannot be done
         */
        void run(boolean isLeased) throws IOException;
    }

    private static final class Entry {
        final List<MappedFile> mappings = new ArrayList<>();
        FileAction action = isLeased -> {};

        boolean isFree() {
            mappings.removeIf(MappedFile::isUnmapped);
            return mappings.isEmpty();
        }
    }

    private final Map<Path, Entry> entries = new LinkedHashMap<>();

    /** Nothing to do yet. */
    public DyingFiles() {}

    /**
     * Asks for an action; an earlier one for the same file is replaced, its mappings are waited for too.
     *
     * @param file to be treated
     * @param mappings to wait for
     * @param action to run once
     */
    public synchronized void add(Path file, List<MappedFile> mappings, FileAction action) {
        final Entry entry = entries.computeIfAbsent(file, key -> new Entry());
        entry.mappings.addAll(mappings);
        entry.action = action;
    }

    /**
     * Remembers that a file is looked at, whatever is asked for it later.
     *
     * @param file that is leased
     * @param mappings to wait for; nothing happens when there are none
     */
    public synchronized void leased(Path file, List<MappedFile> mappings) {
        if (!mappings.isEmpty()) {
            entries.computeIfAbsent(file, key -> new Entry()).mappings.addAll(mappings);
        }
    }

    /**
     * Gives up what was asked for a file that gets another name; leases under its old name count for the new one.
     *
     * @param file old name
     * @param renamed new name
     */
    public synchronized void renamed(Path file, Path renamed) {
        final Entry entry = entries.remove(file);
        if (entry != null) {
            entries.computeIfAbsent(renamed, key -> new Entry()).mappings.addAll(entry.mappings);
        }
    }

    /**
     * Gives up what was asked for the files below a folder, which goes as a whole.
     *
     * @param directory that holds them
     * @return the mappings that are still looked at
     */
    public synchronized List<MappedFile> takeBelow(Path directory) {
        final List<MappedFile> leased = new ArrayList<>();
        entries.entrySet().removeIf(entry -> {
            final boolean isBelow = entry.getKey().startsWith(directory);
            if (isBelow && !entry.getValue().isFree()) {
                leased.addAll(entry.getValue().mappings);
            }
            return isBelow;
        });
        return leased;
    }

    /**
     * Whether something is still to be done with a file.
     *
     * @param file to look for
     * @return true until its action ran
     */
    public synchronized boolean isPending(Path file) {
        return entries.containsKey(file);
    }

    /**
     * Runs the actions that need not wait any more for files below a folder.
     *
     * @param directory that holds the files
     * @return the number of actions run
     * @throws IOException of the first action that failed; it will not be run again
     */
    public synchronized int run(Path directory) throws IOException {
        int count = 0;
        for (final Iterator<Map.Entry<Path, Entry>> all = entries.entrySet().iterator(); all.hasNext(); ) {
            final Map.Entry<Path, Entry> next = all.next();
            if (next.getKey().startsWith(directory) && next.getValue().isFree()) {
                all.remove();
                count++;
                next.getValue().action.run(false);
            }
        }
        return count;
    }

    /**
     * Runs all actions that are left, although leases are out: nobody will be here when they are given back.
     *
     * @throws IOException of the first action that failed
     */
    public synchronized void finish() throws IOException {
        for (final Iterator<Entry> all = entries.values().iterator(); all.hasNext(); ) {
            final Entry next = all.next();
            all.remove();
            next.action.run(!next.isFree());
        }
    }
}
