package io.tidemark.tools.verify;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Reads the small text files of a data folder by what docs/FORMAT.md says of them. */
final class SmallFiles {
    private static final long SIZE_MAX = 64L << 20;
    private static final String SEAL = "crc32c=";

    private SmallFiles() {}

    /**
     * Reads a text.
     *
     * @param file the file
     * @return its text, null if there is no such file
     * @throws DamagedLogException if it is larger than any such file
     * @throws IOException if it cannot be read
     */
    static @Nullable String read(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            return null;
        }
        long size = Files.size(file);
        if (size > SIZE_MAX) {
            throw new DamagedLogException("file is larger than any file of its name: size=" + size, file, 0);
        }
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    }

    /**
     * The lines of a sealed file, after a check of the checksum in its last line.
     *
     * @param file where the text was read
     * @param text the text
     * @return the lines before the seal
     * @throws DamagedLogException if the seal is missing or does not match
     */
    static List<String> unsealed(Path file, String text) throws DamagedLogException {
        int seal = text.lastIndexOf(SEAL);
        if (seal < 0) {
            throw new DamagedLogException("the line with the checksum is missing", file, 0);
        }
        CRC32C crc = new CRC32C();
        crc.update(text.substring(0, seal).getBytes(StandardCharsets.UTF_8));
        String expected = String.format("%s%08x%n", SEAL, crc.getValue()).replace("\r", "");
        if (!text.substring(seal).equals(expected)) {
            throw new DamagedLogException(
                    "checksum mismatch: expected="
                            + text.substring(seal + SEAL.length()).strip() + ", actual="
                            + expected.substring(SEAL.length()).strip(),
                    file,
                    seal);
        }
        return text.substring(0, seal).lines().toList();
    }

    /**
     * The {@code name=value} lines.
     *
     * @param lines of a file
     * @return values by name, in order; lines without a sign of equality are left out
     */
    static Map<String, String> values(List<String> lines) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String line : lines) {
            int equals = line.indexOf('=');
            if (equals > 0 && !line.startsWith("#")) {
                values.put(line.substring(0, equals), line.substring(equals + 1));
            }
        }
        return values;
    }

    /**
     * The entries of a checkpoint: a line "0", a line with their number, then a line for each.
     *
     * @param file where the text was read
     * @param text the text
     * @param fields how many fields each entry has
     * @return the fields of each entry
     * @throws DamagedLogException if the text is not of this form
     */
    static List<String[]> entries(Path file, String text, int fields) throws DamagedLogException {
        List<String> lines = text.lines().toList();
        if (lines.size() < 2 || !lines.get(0).equals("0")) {
            throw new DamagedLogException("no checkpoint: the first line is not 0", file, 0);
        }
        if (number(lines.get(1)) != lines.size() - 2) {
            throw new DamagedLogException(
                    "checkpoint has another number of entries than it says: entries=" + lines.get(1) + ", actual="
                            + (lines.size() - 2),
                    file,
                    0);
        }
        List<String[]> entries = new ArrayList<>();
        for (String line : lines.subList(2, lines.size())) {
            String[] split = line.split(" ", -1);
            if (split.length != fields || number(split[fields - 1]) < 0 || number(split[fields - 2]) < 0) {
                throw new DamagedLogException("no entry of a checkpoint: line='" + line + "'", file, 0);
            }
            entries.add(split);
        }
        return entries;
    }

    /**
     * Parses a number.
     *
     * @param text digits
     * @return the number, -1 if the text is no number from 0 on
     */
    static long number(@Nullable String text) {
        if (text == null || text.isEmpty() || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return -1;
        }
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException tooLarge) {
            return -1;
        }
    }
}
