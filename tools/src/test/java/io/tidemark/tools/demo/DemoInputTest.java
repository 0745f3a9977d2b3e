package io.tidemark.tools.demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.tools.system.CommandFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The records of a run must be unlike each other and tell any change of a byte. */
class DemoInputTest {
    @TempDir
    Path folder = Path.of("");

    // Lines come again, records do not.
    @Test
    void shouldNumberTheLinesAndRepeatThem() throws IOException {
        DemoInput input = DemoInput.read("run1", write("one\ntwo\n\nlast"), 0);

        assertEquals(4, input.lineCount());
        assertEquals("run1|0|one", text(input.value(0)));
        assertEquals("run1|2|", text(input.value(2)));
        assertEquals("run1|3|last", text(input.value(3)));
        assertEquals("run1|4|one", text(input.value(4)));
    }

    // A fixed size pads short lines and cuts long ones, never the number.
    @Test
    void shouldPadAndCutToTheSize() throws IOException {
        DemoInput input = DemoInput.read("run1", write("ab\n" + "c".repeat(90)), 32);

        assertEquals("run1|0|ab" + ".".repeat(23), text(input.value(0)));
        assertEquals("run1|1|" + "c".repeat(25), text(input.value(1)));
    }

    // A value is known only if every byte is as it was sent.
    @Test
    void shouldKnowItsOwnValuesOnly() {
        DemoInput input = new DemoInput("run1", List.of("line".getBytes(UTF_8)), 0);
        for (int number : new int[] {0, 1, 9, 10, 123_456}) {
            assertEquals(number, input.numberOf(input.value(number)));
        }
        for (String other : List.of(
                "",
                "run1|",
                "run1||line",
                "run2|1|line",
                "run1|1|lime",
                "run1|1|line ",
                "run1|01|line",
                "run1|99999999999|line",
                "run1|-1|line")) {
            assertEquals(-1, input.numberOf(other.getBytes(UTF_8)), other);
        }
    }

    // What, where, what to do.
    @Test
    void shouldRefuseInputThatCannotBeSent() throws IOException {
        assertRefused(folder.resolve("none"), "cannot read the input: file=");
        assertRefused(write(""), "the input has no lines: file=");
        assertRefused(write("x".repeat(DemoOptions.RECORD_SIZE_MAX + 1)), "a line of the input is too long: file=");
    }

    private static void assertRefused(Path file, String prefix) {
        CommandFailure e = assertThrows(CommandFailure.class, () -> DemoInput.read("run1", file, 0));
        assertTrue(String.valueOf(e.getMessage()).startsWith(prefix), e.getMessage());
    }

    private Path write(String text) throws IOException {
        return Files.writeString(folder.resolve("input.txt"), text);
    }

    private static String text(byte[] value) {
        return new String(value, UTF_8);
    }
}
