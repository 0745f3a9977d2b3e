package io.tidemark.broker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What brokers may leave behind in this process: threads, open files, sockets and mappings. */
final class Leftovers {
    private Leftovers() {}

    /** Names of live threads that belong to brokers. */
    static Set<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("tidemark-"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Open files and mappings below a folder. */
    static Set<String> files(Path folder) {
        Set<String> found = new TreeSet<>();
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            for (Path descriptor : descriptors.toList()) {
                String target = target(descriptor);
                if (target.startsWith(folder.toString())) {
                    found.add("descriptor of " + target);
                }
            }
            for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
                if (line.contains(folder.toString())) {
                    found.add("mapping of " + line.substring(line.indexOf('/')));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }

    /** Number of open sockets and event descriptors. */
    static long sockets() {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            List<String> targets = descriptors.map(Leftovers::target).toList();
            return targets.stream()
                    .filter(target -> target.startsWith("socket:")
                            || target.contains("eventpoll")
                            || target.contains("eventfd")
                            || target.contains("timerfd"))
                    .count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException gone) {
            return "closed meanwhile";
        }
    }
}
