package io.tidemark.tools.verify;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the small files of a data folder say.
 *
 * @param isClean whether the last process that used the folder closed it
 * @param isOurs whether Tidemark used the folder, and not Kafka alone
 * @param unrecovered logs that were left by a stop before that one which was not clean
 * @param recoveryPoints by partition folder
 * @param highWatermarks by partition folder
 * @param logStarts by partition folder
 */
record FolderState(
        boolean isClean,
        boolean isOurs,
        Set<String> unrecovered,
        Map<String, Long> recoveryPoints,
        Map<String, Long> highWatermarks,
        Map<String, Long> logStarts) {
    /** Says whose the folder is. */
    static final String META = "meta.properties";
    /** Says what was seen in the folder's life. */
    static final String STATE = "tidemark.properties";
    /** There after a clean stop only. */
    static final String CLEAN_STOP = "tidemark.clean-stop";
    /** Per log, the end of what is on the disk. */
    static final String RECOVERY_POINTS = "recovery-point-offset-checkpoint";
    /** Per log, the high watermark. */
    static final String HIGH_WATERMARKS = "replication-offset-checkpoint";
    /** Per log, the first offset kept. */
    static final String LOG_STARTS = "log-start-offset-checkpoint";

    private static final String KAFKA_CLEAN_STOP = ".kafka_cleanshutdown";

    /**
     * Reads the files of a folder.
     *
     * @param folder a data folder
     * @param findings receives what is wrong with them
     * @return what they say
     * @throws IOException if one cannot be read
     */
    static FolderState read(Path folder, Consumer<Finding> findings) throws IOException {
        Reader reader = new Reader(folder, findings);
        reader.checkIdentity();
        boolean isOurs = reader.checkState();
        Set<String> unrecovered = reader.unrecovered();
        return new FolderState(
                unrecovered != null || Files.exists(folder.resolve(KAFKA_CLEAN_STOP)),
                isOurs,
                unrecovered == null ? Set.of() : unrecovered,
                reader.offsets(RECOVERY_POINTS),
                reader.offsets(HIGH_WATERMARKS),
                reader.offsets(LOG_STARTS));
    }

    /**
     * How a log was left.
     *
     * @param name of its folder
     * @return its state
     */
    StopState stopOf(String name) {
        return new StopState(isClean && !unrecovered.contains(name), recoveryPoints.getOrDefault(name, -1L));
    }

    /** Reads the files one by one. */
    private record Reader(Path folder, Consumer<Finding> findings) {
        private static final String RESTORE =
                "restore the file, or empty the folder and let the broker fetch its logs again";

        void find(String name, String what, String advice) {
            findings.accept(new Finding(folder.resolve(name), 0, what, advice));
        }

        void checkIdentity() throws IOException {
            String text = SmallFiles.read(folder.resolve(META));
            if (text == null) {
                find(META, "the file that says whose folder it is is missing", RESTORE);
                return;
            }
            Map<String, String> values = SmallFiles.values(text.lines().toList());
            String directoryId = values.getOrDefault("directory.id", "");
            String cluster = values.get("cluster.id");
            String node = values.get("node.id");
            if (!Set.of("0", "1").contains(values.getOrDefault("version", ""))
                    || !directoryId.matches("[A-Za-z0-9_-]{22}")
                    || (node != null && SmallFiles.number(node) < 0)
                    || (cluster == null) != (node == null)) {
                find(
                        META,
                        "identity is damaged: version=" + values.get("version") + ", directory.id=" + directoryId
                                + ", cluster.id=" + cluster + ", node.id=" + node,
                        RESTORE);
            }
        }

        /** Returns whether the file is there. */
        boolean checkState() throws IOException {
            Path file = folder.resolve(STATE);
            String text = SmallFiles.read(file);
            if (text == null) {
                return false;
            }
            try {
                Map<String, String> values = SmallFiles.values(SmallFiles.unsealed(file, text));
                long incarnation = Long.parseLong(values.getOrDefault("incarnation", ""));
                long intactSince = Long.parseLong(values.getOrDefault("intactSince", ""));
                Long.parseLong(values.getOrDefault("controllerEpoch", ""));
                if (!"1".equals(values.get("version")) || intactSince > incarnation) {
                    find(
                            STATE,
                            "state of the folder is impossible: version=" + values.get("version") + ", incarnation="
                                    + incarnation + ", intactSince=" + intactSince,
                            RESTORE);
                }
            } catch (DamagedLogException | NumberFormatException damaged) {
                find(STATE, "state of the folder is damaged: " + damaged.getMessage(), RESTORE);
            }
            return true;
        }

        /** The logs that a clean stop did not vouch for; null if the last stop was not clean. */
        @Nullable
        Set<String> unrecovered() throws IOException {
            Path file = folder.resolve(CLEAN_STOP);
            String text = SmallFiles.read(file);
            if (text == null) {
                return null;
            }
            try {
                List<String> lines = SmallFiles.unsealed(file, text);
                if (!lines.isEmpty() && lines.get(0).equals("version=1")) {
                    Set<String> unrecovered = new HashSet<>();
                    for (String line : lines.subList(1, lines.size())) {
                        unrecovered.add(line.substring(line.indexOf('=') + 1));
                    }
                    return unrecovered;
                }
                find(CLEAN_STOP, "marker of a clean stop is of no known version", damagedMarker());
            } catch (DamagedLogException damaged) {
                find(CLEAN_STOP, "marker of a clean stop is damaged: " + damaged.getMessage(), damagedMarker());
            }
            return null;
        }

        private static String damagedMarker() {
            return "nothing is lost: the next start recovers all logs";
        }

        Map<String, Long> offsets(String name) throws IOException {
            Map<String, Long> offsets = new TreeMap<>();
            Path file = folder.resolve(name);
            String text = SmallFiles.read(file);
            if (text == null) {
                return offsets;
            }
            try {
                for (String[] fields : SmallFiles.entries(file, text, 3)) {
                    String log = fields[0] + "-" + fields[1];
                    if (offsets.put(log, SmallFiles.number(fields[2])) != null) {
                        find(name, "checkpoint names a log twice: log=" + log, hint());
                    }
                }
            } catch (DamagedLogException damaged) {
                find(name, "checkpoint is damaged: " + damaged.getMessage(), hint());
            }
            return offsets;
        }

        private static String hint() {
            return "delete the file while the broker is stopped: it is a hint, the next start writes it anew";
        }
    }
}
