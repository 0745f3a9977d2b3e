package io.tidemark.tools.demo;

import io.tidemark.tools.system.CommandFailure;
import io.tidemark.tools.system.LocalFiles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The records of a run: {@code runId|number|line}. The number makes each record unlike all others, however often its
 * line comes; the run's id tells them from those of other runs. Immutable, any thread.
 */
final class DemoInput {
    private static final byte SEPARATOR = '|';
    private static final byte PADDING = '.';

    private final byte[] prefix;
    private final List<byte[]> lines;
    private final int recordSize;

    /**
     * Takes the lines.
     *
     * @param runId the id of the run
     * @param lines at least one line
     * @param recordSize the size of each value in bytes, padded or cut; 0 for as long as its line
     */
    DemoInput(String runId, List<byte[]> lines, int recordSize) {
        this.prefix = (runId + (char) SEPARATOR).getBytes(StandardCharsets.US_ASCII);
        this.lines = List.copyOf(lines);
        this.recordSize = recordSize;
    }

    /**
     * Reads the lines of a file.
     *
     * @param runId the id of the run
     * @param file the file
     * @param recordSize the size of each value in bytes, 0 for as long as its line
     * @return the records
     * @throws CommandFailure if the file cannot be read, is empty, or has a line that is too long
     */
    static DemoInput read(String runId, Path file, int recordSize) {
        byte[] bytes = LocalFiles.read(file, "input", "name a text file with --input");
        List<byte[]> lines = split(bytes);
        if (lines.isEmpty()) {
            throw new CommandFailure("the input has no lines: file=" + file + "; name a text file with --input");
        }
        int longest = lines.stream().mapToInt(line -> line.length).max().orElse(0);
        if (recordSize == 0 && longest > DemoOptions.RECORD_SIZE_MAX) {
            throw new CommandFailure("a line of the input is too long: file=" + file + ", length=" + longest + ", max="
                    + DemoOptions.RECORD_SIZE_MAX + "; cut the lines with --record-size");
        }
        return new DemoInput(runId, lines, recordSize);
    }

    private static List<byte[]> split(byte[] bytes) {
        List<byte[]> lines = new ArrayList<>();
        int from = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == '\n') {
                lines.add(Arrays.copyOfRange(bytes, from, i));
                from = i + 1;
            }
        }
        if (from < bytes.length) {
            lines.add(Arrays.copyOfRange(bytes, from, bytes.length));
        }
        return lines;
    }

    /**
     * How many lines there are.
     *
     * @return the number of different lines at most
     */
    int lineCount() {
        return lines.size();
    }

    /**
     * The greatest size of a value.
     *
     * @return an upper bound in bytes
     */
    int valueSizeMax() {
        int longest = lines.stream().mapToInt(line -> line.length).max().orElse(0);
        return recordSize != 0 ? recordSize : prefix.length + 11 + longest;
    }

    /**
     * The value of a record.
     *
     * @param number its number, from 0
     * @return a new array
     */
    byte[] value(int number) {
        byte[] line = lines.get(number % lines.size());
        byte[] digits = Integer.toString(number).getBytes(StandardCharsets.US_ASCII);
        int head = prefix.length + digits.length + 1;
        byte[] value = new byte[recordSize != 0 ? recordSize : head + line.length];
        System.arraycopy(prefix, 0, value, 0, prefix.length);
        System.arraycopy(digits, 0, value, prefix.length, digits.length);
        value[head - 1] = SEPARATOR;
        int kept = Math.min(line.length, value.length - head);
        System.arraycopy(line, 0, value, head, kept);
        Arrays.fill(value, head + kept, value.length, PADDING);
        return value;
    }

    /**
     * Which record a value is.
     *
     * @param value the bytes as they were read
     * @return its number, or -1 if it is no record of this run or not the very bytes that were sent
     */
    int numberOf(byte[] value) {
        if (value.length <= prefix.length || !Arrays.equals(value, 0, prefix.length, prefix, 0, prefix.length)) {
            return -1;
        }
        long number = 0;
        int i = prefix.length;
        while (i < value.length && value[i] >= '0' && value[i] <= '9' && number < Integer.MAX_VALUE) {
            number = number * 10 + (value[i] - '0');
            i++;
        }
        if (number > DemoOptions.RECORDS_MAX) {
            return -1;
        }
        return Arrays.equals(value, value((int) number)) ? (int) number : -1;
    }
}
