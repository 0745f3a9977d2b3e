package io.tidemark.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every mistake of a user is answered by one line that says what, where and what to do, and by an exit code. */
class CommandErrorsTest {
    @TempDir
    Path folder = Path.of("");

    // Wrong usage is 2, and the help is named.
    @Test
    void shouldExplainWrongUsage() {
        assertUsage("tidemark: a command is missing; see 'tidemark --help'");
        assertUsage(
                "tidemark topic: a command is missing: create, list, describe, add-partitions, alter, delete, reassign,"
                        + " elect-preferred or elect-unclean; see 'tidemark topic --help'",
                "topic");
        assertUsage("tidemark log: a command is missing: dump, verify or recover; see 'tidemark log --help'", "log");
        assertUsage("tidemark: Unmatched argument at index 0: 'nonsense'; see 'tidemark --help'", "nonsense");
        assertUsage("tidemark demo: Unknown option: '--nonsense'; see 'tidemark demo --help'", "demo", "--nonsense");
        assertUsage(
                "tidemark broker: a setting is missing: give --data, or put data.directory into the file of --config;"
                        + " see 'tidemark broker --help'",
                "broker",
                "--id",
                "1");
        assertUsage(
                "tidemark produce: Missing required option: '--topic=NAME'; see 'tidemark produce --help'",
                "produce",
                "--brokers",
                "127.0.0.1:1");
        assertUsage(
                "tidemark consume: an offset is one of a partition: from=17; name it with --partition;"
                        + " see 'tidemark consume --help'",
                "consume",
                "--brokers",
                "127.0.0.1:1",
                "--topic",
                "t",
                "--from",
                "17");
        assertUsage(
                "tidemark consume: --from must be beginning, end or an offset: from=-1;"
                        + " see 'tidemark consume --help'",
                "consume",
                "--brokers",
                "127.0.0.1:1",
                "--topic",
                "t",
                "--from=-1");
    }

    // One must say where the cluster is, and only once.
    @Test
    void shouldAskForExactlyOneWayToTheCluster() {
        for (String command : List.of("list", "describe", "create")) {
            List<String> args = command.equals("list") ? List.of() : List.of("name");
            CommandRun none = run("topic", command, args);
            assertEquals(2, none.exitCode(), none.describe());
            assertTrue(none.err().contains("--brokers=HOST:PORT[,HOST:PORT] | --coordination=URI"), none.describe());
        }
        CommandRun both = CommandRun.of("topic", "list", "--brokers", "h:1", "--coordination", "zk://h:1/");
        assertEquals(2, both.exitCode());
        assertTrue(both.err().contains("mutually exclusive"), both.describe());
    }

    // All problems of the demo's options come at once.
    @Test
    void shouldListAllProblemsOfTheDemo() {
        assertUsage(
                "tidemark demo: --brokers must lie between 1 and 9: brokers=0; --records must lie between 4000 and"
                        + " 50000000: records=10; --record-size must lie between 32 and 60000: recordSize=5;"
                        + " --coordination must be zk, etcd, local, or a URI such as zk://HOST:PORT/PATH:"
                        + " coordination=x;"
                        + " see 'tidemark demo --help'",
                "demo",
                "--brokers",
                "0",
                "--records",
                "10",
                "--record-size",
                "5",
                "--coordination",
                "x");
        assertUsage(
                "tidemark demo: --kill follower needs two brokers or more: brokers=1; see 'tidemark demo --help'",
                "demo",
                "--brokers",
                "1",
                "--kill",
                "follower");
    }

    // Missing and unusable files: 1, and nothing is left behind.
    @Test
    void shouldExplainFilesThatCannotBeUsed() throws IOException {
        Path absent = folder.resolve("absent");
        assertFailure(
                "tidemark demo: cannot read the input: file=" + absent
                        + ", cause=no such file or folder; name a text file with --input",
                "demo",
                "--input",
                absent.toString());
        assertFailure("tidemark log dump: no such file or folder: path=" + absent, "log", "dump", absent.toString());
        assertFailure(
                "tidemark log dump: no .log file in it or in its folders; name a broker's data folder: path=" + folder,
                "log",
                "dump",
                folder.toString());
        assertFailure(
                "tidemark broker: cannot read the configuration: file=" + absent
                        + ", cause=no such file or folder; correct --config",
                "broker",
                "--config",
                absent.toString());
        assertFailure(
                "tidemark demo: cannot write the result: file=" + absent.resolve("r.json")
                        + "; name a file in a writable folder with --json",
                "demo",
                "--json",
                absent.resolve("r.json").toString());
        Path full = Files.createDirectory(folder.resolve("full"));
        Files.writeString(full.resolve("something"), "x");
        assertFailure(
                "tidemark demo: the folder is not empty: folder=" + full + "; name a new or empty folder",
                "demo",
                "--keep",
                full.toString());
        Path file = full.resolve("something");
        assertFailure(
                "tidemark demo: not a folder: path=" + file + "; name a new or empty folder",
                "demo",
                "--keep",
                file.toString());
        assertEquals("x", Files.readString(file));
    }

    // The broker's own checks come through as one line.
    @Test
    void shouldPassOnWhatTheBrokerSaysOfItsConfiguration() throws IOException {
        Path config = Files.writeString(folder.resolve("b.properties"), "broker.id=1\nnonsense=2\nport=http\n");
        CommandRun run = CommandRun.of(
                "broker",
                "--config",
                config.toString(),
                "--data",
                folder.resolve("d").toString(),
                "--coordination",
                "local:");
        assertEquals(1, run.exitCode(), run.describe());
        assertOneLine(run);
        assertTrue(run.err().contains("unknown key: key=nonsense"), run.describe());
        assertTrue(run.err().contains("port must be a whole number: port=http"), run.describe());
        assertFalse(Files.exists(folder.resolve("d")));
    }

    // Asked for, the stack trace comes after the line.
    @Test
    void shouldShowTheStackTraceOnlyOnRequest() {
        CommandRun run =
                CommandRun.of("log", "dump", "--debug", folder.resolve("absent").toString());
        assertEquals(1, run.exitCode());
        assertTrue(run.err().contains("\tat io.tidemark.tools.verify.LogDump.print"), run.describe());
    }

    // Help and version go to standard output and are no failure.
    @Test
    void shouldHelp() {
        for (List<String> command : List.of(
                List.<String>of(),
                List.of("broker"),
                List.of("topic"),
                List.of("topic", "create"),
                List.of("topic", "list"),
                List.of("topic", "describe"),
                List.of("produce"),
                List.of("consume"),
                List.of("log"),
                List.of("log", "dump"),
                List.of("demo"))) {
            CommandRun run = run(command, "--help");
            assertEquals(0, run.exitCode(), run.describe());
            String name = String.join(" ", command).isEmpty() ? "tidemark" : "tidemark " + String.join(" ", command);
            assertTrue(run.out().startsWith("Usage: " + name + " "), run.describe());
            assertEquals("", run.err());
        }
        CommandRun version = CommandRun.of("--version");
        assertEquals(0, version.exitCode());
        assertTrue(version.out().matches("tidemark \\d+\\.\\d+\\.\\d+\\S*\\Rjava .*\\R"), version.describe());
    }

    private static CommandRun run(List<String> command, String last) {
        List<String> args = new java.util.ArrayList<>(command);
        args.add(last);
        return CommandRun.of(args.toArray(String[]::new));
    }

    private static CommandRun run(String group, String command, List<String> more) {
        List<String> args = new java.util.ArrayList<>(List.of(group, command));
        args.addAll(more);
        return CommandRun.of(args.toArray(String[]::new));
    }

    private static void assertUsage(String expected, String... args) {
        CommandRun run = CommandRun.of(args);
        assertEquals(expected + System.lineSeparator(), run.err());
        assertEquals(2, run.exitCode());
        assertEquals("", run.out());
    }

    private static void assertFailure(String expected, String... args) {
        CommandRun run = CommandRun.of(args);
        assertEquals(expected + System.lineSeparator(), run.err());
        assertEquals(1, run.exitCode());
        assertEquals("", run.out());
    }

    private static void assertOneLine(CommandRun run) {
        assertEquals(1, run.err().lines().count(), run.describe());
    }
}
