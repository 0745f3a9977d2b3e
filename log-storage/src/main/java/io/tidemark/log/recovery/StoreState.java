package io.tidemark.log.recovery;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What was seen in the life of a data folder. A file of lines {@code name=value}.
 *
 * @param incarnation last one that began, -1 when none did
 * @param intactSince oldest incarnation since which nothing that was appended can have been lost, -1 when none began
 * @param lossPossible whether something may have been lost since the last incarnation began
 * @param machineEnded whether the machine stopped since the last clean stop, so that a log without a
 *     {@link RecoveredMark} was not recovered from that yet
 * @param bootId start of the machine at which the folder was last used
 * @param mountId mount on which it was last used
 * @param controllerEpoch highest one seen, -1 when none was
 */
public record StoreState(
        long incarnation,
        long intactSince,
        boolean lossPossible,
        boolean machineEnded,
        String bootId,
        String mountId,
        long controllerEpoch) {
    /** A folder that was never used. */
    public static final StoreState NEW = new StoreState(-1, -1, false, false, "", "", -1);

    /**
     * Whether the page cache of the last use is still there.
     *
     * @param boot start of the machine now
     * @param mount mount of the folder now
     * @return false when either changed or is not known
     */
    public boolean isSameMachine(String boot, String mount) {
        return !boot.isEmpty() && !mount.isEmpty() && boot.equals(bootId) && mount.equals(mountId);
    }

    /**
     * The text of the file.
     *
     * @return lines
     */
    String encode() {
        return "version=1\nincarnation=" + incarnation + "\nintactSince=" + intactSince + "\nlossPossible="
                + lossPossible + "\nmachineEnded=" + machineEnded + "\nbootId=" + bootId + "\nmountId=" + mountId
                + "\ncontrollerEpoch="
                + controllerEpoch + "\n";
    }

    /**
     * Parses the text of the file.
     *
     * @param text lines
     * @return the state; null when anything is missing or wrong
     */
    static @Nullable StoreState parse(String text) {
        final Map<String, String> values = new HashMap<>();
        for (final String line : text.split("\n", -1)) {
            final int equals = line.indexOf('=');
            if (equals > 0) {
                values.put(line.substring(0, equals), line.substring(equals + 1));
            }
        }
        final String boot = values.get("bootId");
        final String mount = values.get("mountId");
        final String loss = values.get("lossPossible");
        final String ended = values.get("machineEnded");
        if (!"1".equals(values.get("version")) || boot == null || mount == null || loss == null || ended == null) {
            return null;
        }
        try {
            return new StoreState(
                    Long.parseLong(values.getOrDefault("incarnation", "")),
                    Long.parseLong(values.getOrDefault("intactSince", "")),
                    Boolean.parseBoolean(loss),
                    Boolean.parseBoolean(ended),
                    boot,
                    mount,
                    Long.parseLong(values.getOrDefault("controllerEpoch", "")));
        } catch (final NumberFormatException e) {
            return null;
        }
    }
}
