package io.tidemark.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The launcher script, in a project of empty files, with a Java and a Maven that only tell how they were called. */
@Timeout(60)
class LauncherTest {
    private static final List<String> TOOLS = List.of(
            "bash", "dirname", "readlink", "find", "mkdir", "mktemp", "touch", "rm", "flock", "cat", "env", "uname");
    private static final FileTime OLD = FileTime.fromMillis(1_000_000_000_000L);

    @TempDir
    Path root = Path.of("");

    private Path project = Path.of("");
    private Path bin = Path.of("");

    /** What the script did. */
    private record Launched(int exitCode, String output) {}

    @BeforeEach
    void layOut() throws IOException {
        project = Files.createDirectory(root.resolve("project"));
        bin = Files.createDirectory(root.resolve("bin"));
        for (String tool : TOOLS) {
            for (String folder : List.of("/bin/", "/usr/bin/")) {
                if (Files.exists(Path.of(folder + tool)) && !Files.exists(bin.resolve(tool))) {
                    Files.createSymbolicLink(bin.resolve(tool), Path.of(folder + tool));
                }
            }
        }
        Files.copy(launcher(), project.resolve("tidemark"));
        Files.setPosixFilePermissions(project.resolve("tidemark"), PosixFilePermissions.fromString("rwxr-xr-x"));
        for (String module : List.of(
                "log-storage", "coordination-api", "coordination-zk", "coordination-etcd", "replication", "tools")) {
            source(module + "/pom.xml");
            source(module + "/src/main/Some.java");
        }
        source("pom.xml");
        script(
                "java",
                "[[ $1 == -version ]] && { echo 'openjdk version \"17.0.15\"'; exit 0; }\n"
                        + "printf 'java:'; printf ' %s' \"$@\"; echo; exit ${JAVA_EXIT:-0}");
        script("javac", "exit 0");
        script(
                "mvn",
                "echo \"mvn: $*\"; cd \"$PWD\"; mkdir -p tools/target/lib; touch tools/target/tidemark-tools-1.jar");
    }

    private static Path launcher() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("tidemark"))) {
            folder = Objects.requireNonNull(folder.getParent(), "no launcher above the working directory");
        }
        return folder.resolve("tidemark");
    }

    private void source(String path) throws IOException {
        Path file = project.resolve(path);
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        Files.writeString(file, "");
        Files.setLastModifiedTime(file, OLD);
    }

    private void script(String name, String body) throws IOException {
        Path file = Files.writeString(bin.resolve(name), "#!" + bin.resolve("bash") + "\n" + body + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Launched launch(Path script, Map<String, String> more, String... args) throws Exception {
        List<String> command = new ArrayList<>(List.of(script.toString()));
        command.addAll(List.of(args));
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(root.toFile()).redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().put("PATH", bin.toString());
        builder.environment().put("HOME", root.toString());
        builder.environment().putAll(more);
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Launched(process.waitFor(), output);
    }

    // The first time it builds and says so; the second time it does not.
    @Test
    void shouldBuildOnceThenRun() throws Exception {
        Launched first = launch(project.resolve("tidemark"), Map.of(), "topic", "list");

        assertEquals(0, first.exitCode(), first.output());
        assertTrue(first.output().startsWith("tidemark: building the jars (the first time"), first.output());
        assertTrue(first.output().contains("mvn: -q -B -ntp -Dstyle.color=never package -DskipTests"), first.output());
        assertTrue(first.output().contains("-pl tools -am\n"), first.output());
        Launched second = launch(project.resolve("tidemark"), Map.of(), "topic", "list");
        assertEquals(
                "java: --add-exports java.base/jdk.internal.misc=ALL-UNNAMED -Dtidemark.interactive=false"
                        + " -Dtidemark.commit=unknown -cp "
                        + project.toRealPath().resolve("tools/target/tidemark-tools-1.jar")
                        + " io.tidemark.tools.Tidemark topic list\n",
                second.output());
    }

    // A source that was edited since is built.
    @Test
    void shouldBuildAgainWhenASourceIsNewer() throws Exception {
        launch(project.resolve("tidemark"), Map.of());
        Path source = project.resolve("replication/src/main/Some.java");
        Files.setLastModifiedTime(source, FileTime.fromMillis(System.currentTimeMillis() + 60_000));

        Launched again = launch(project.resolve("tidemark"), Map.of());

        assertTrue(again.output().contains("mvn: "), again.output());
    }

    // Through a link, a link to a link, from elsewhere; arguments with spaces, JVM options, exit code.
    @Test
    void shouldRunThroughLinksAndPassEverythingOn() throws Exception {
        launch(project.resolve("tidemark"), Map.of());
        Path link = Files.createSymbolicLink(root.resolve("link"), project.resolve("tidemark"));
        Path relative = Files.createSymbolicLink(root.resolve("relative"), Path.of("link"));
        assertTrue(Files.isSymbolicLink(link));

        Launched run = launch(
                relative,
                Map.of("TIDEMARK_OPTS", "-Xmx1g -Da=b", "JAVA_EXIT", "7"),
                "produce",
                "--key-separator",
                "a b");

        assertEquals(7, run.exitCode());
        assertTrue(run.output().contains(" -Xmx1g -Da=b -cp "), run.output());
        assertTrue(run.output().endsWith("io.tidemark.tools.Tidemark produce --key-separator a b\n"), run.output());
    }

    // An old Java is no Java; without a package manager it says what to install.
    @Test
    void shouldSayWhatToInstall() throws Exception {
        script("java", "echo 'openjdk version \"11.0.2\"'");
        Launched old = launch(project.resolve("tidemark"), Map.of());
        assertEquals(1, old.exitCode());
        assertTrue(
                old.output().startsWith("tidemark: Java 17 or newer is missing; install a JDK (17 or newer) and Maven"),
                old.output());

        script("java", "echo 'openjdk version \"21.0.1\"'");
        Files.delete(bin.resolve("mvn"));
        Launched noMaven = launch(project.resolve("tidemark"), Map.of());
        assertEquals(1, noMaven.exitCode());
        assertTrue(noMaven.output().startsWith("tidemark: Maven is missing; install a JDK"), noMaven.output());
    }

    // A build that fails is reported, and the next call tries again.
    @Test
    void shouldReportAFailedBuild() throws Exception {
        script("mvn", "echo 'no disk'; exit 1");

        Launched run = launch(project.resolve("tidemark"), Map.of());

        assertEquals(1, run.exitCode());
        assertTrue(run.output().contains("no disk"), run.output());
        assertTrue(run.output().contains("tidemark: the build failed, see above"), run.output());
        assertFalse(run.output().contains("java:"), run.output());
    }
}
