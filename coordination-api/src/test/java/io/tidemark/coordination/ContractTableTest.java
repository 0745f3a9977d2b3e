package io.tidemark.coordination;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The table of the contract's cases in the documentation tells the truth. */
class ContractTableTest {
    private static final int CASES = 59;
    private static final Pattern ROW = Pattern.compile("\\| (\\d+) \\| (.*) \\| (.*) \\|");
    private static final Pattern CODE = Pattern.compile("`([A-Za-z]+)`");

    private static List<String> words(String cell) {
        return CODE.matcher(cell).results().map(found -> found.group(1)).toList();
    }

    // Each of the 59 cases is there, and each test that is named is a method of a class that is named.
    @Test
    void shouldNameATestForEachCase() throws IOException, ClassNotFoundException {
        TreeSet<Integer> cases = new TreeSet<>();
        for (String line : Files.readAllLines(Path.of("../docs/coordination.md"))) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                cases.add(Integer.parseInt(row.group(1)));
                assertNamed(line, words(row.group(2)), words(row.group(3)));
            }
        }
        assertEquals(IntStream.rangeClosed(1, CASES).boxed().toList(), List.copyOf(cases));
    }

    private static Class<?> find(String name) throws ClassNotFoundException {
        for (String subPackage : List.of("", "local.", "spi.")) {
            String path = "/io/tidemark/coordination/" + subPackage.replace('.', '/') + name + ".class";
            if (ContractTableTest.class.getResource(path) != null) {
                return Class.forName("io.tidemark.coordination." + subPackage + name);
            }
        }
        throw new ClassNotFoundException(name);
    }

    private static void assertNamed(String line, List<String> classes, List<String> tests)
            throws ClassNotFoundException {
        TreeSet<String> methods = new TreeSet<>();
        for (String name : classes) {
            Class<?> type = find(name);
            methods.addAll(Arrays.stream(type.getDeclaredMethods())
                    .map(each -> each.getName())
                    .collect(Collectors.toSet()));
        }
        for (String test : tests) {
            if (test.startsWith("should")) {
                assertTrue(methods.contains(test), () -> "no such test in " + classes + ": " + test + ", line=" + line);
            }
        }
    }
}
