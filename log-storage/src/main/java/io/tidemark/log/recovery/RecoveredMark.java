package io.tidemark.log.recovery;

import io.tidemark.log.io.FileHandle;
import io.tidemark.log.io.FileSystem;
import io.tidemark.log.io.FileSystem.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Says that a log was recovered since the machine was started, so that what is missing in it by now was never there.
 * After the stop of a machine the first process may be killed before it has opened all logs; the next one must tell
 * those from the others. Never forced: another start of the machine makes the mark void. The file is ours: lines
 * {@code version=1}, {@code bootId=...}, {@code mountId=...} and a checksum.
 */
public final class RecoveredMark {
    /** Name of the file in the log's folder. */
    public static final String FILE_NAME = "tidemark.recovered";

    private RecoveredMark() {}

    private static String content(String bootId, String mountId) {
        return "version=1\nbootId=" + bootId + "\nmountId=" + mountId + "\n";
    }

    /**
     * Leaves the mark.
     *
     * @param fileSystem that holds the folder
     * @param folder of the log
     * @param bootId start of the machine
     * @param mountId mount of the folder
     * @throws IOException when it cannot be written
     */
    public static void write(FileSystem fileSystem, Path folder, String bootId, String mountId) throws IOException {
        if (bootId.isEmpty() || mountId.isEmpty()) {
            return;
        }
        final byte[] bytes = SmallFile.sealed(content(bootId, mountId)).getBytes(StandardCharsets.UTF_8);
        try (FileHandle file = fileSystem.open(folder.resolve(FILE_NAME), OpenMode.CREATE)) {
            file.truncate(0);
            file.write(ByteBuffer.wrap(bytes), 0);
        }
    }

    /**
     * Whether the mark is there and of this start of the machine.
     *
     * @param fileSystem that holds the folder
     * @param folder of the log
     * @param bootId start of the machine
     * @param mountId mount of the folder
     * @return false also when the mark is damaged, or one of the ids is not known
     * @throws IOException when it is there and cannot be read
     */
    public static boolean isLeft(FileSystem fileSystem, Path folder, String bootId, String mountId) throws IOException {
        return !bootId.isEmpty()
                && !mountId.isEmpty()
                && content(bootId, mountId).equals(SmallFile.readSealed(fileSystem, folder.resolve(FILE_NAME)));
    }
}
