package io.tidemark.sim;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/** All mutants, with what must find them; they stand in the file {@code mutants.txt}. */
final class Mutants {
    private static final String FILE = "mutants.txt";

    private final Iterator<String> lines;
    private String line = "";

    private Mutants(Iterator<String> lines) {
        this.lines = lines;
    }

    static List<Mutant> all() {
        try (InputStream in = Mutants.class.getResourceAsStream(FILE)) {
            if (in == null) {
                throw new IllegalStateException("the list of mutants is missing: resource=" + FILE);
            }
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return new Mutants(text.lines().iterator()).read();
        } catch (IOException failed) {
            throw new UncheckedIOException("the list of mutants cannot be read: resource=" + FILE, failed);
        }
    }

    private List<Mutant> read() {
        List<Mutant> mutants = new ArrayList<>();
        while (next()) {
            if (!line.isBlank() && !line.startsWith("#")) {
                mutants.add(readOne());
            }
        }
        return mutants;
    }

    private Mutant readOne() {
        String name = field("mutant");
        String type = nextField("type");
        Set<String> invariants = Set.of(nextField("invariants").split(" ", -1));
        next();
        String story = optional("story");
        int seeds = story.isEmpty() ? Integer.parseInt(optional("seeds")) : 1;
        long firstSeed = story.isEmpty() ? Long.parseLong(optional("from")) : 1;
        String plan = optional("faults");
        String open = optional("open");
        List<Mutant.Change> changes = new ArrayList<>();
        while (line.equals("words")) {
            changes.add(new Mutant.Change(linesUntil("instead"), linesUntil("end")));
            next();
        }
        if (!line.isBlank()) {
            throw new IllegalStateException("a mutant of " + FILE + " must end with an empty line: " + line);
        }
        return new Mutant(name, type, changes, invariants, seeds, firstSeed, plan, story, open);
    }

    /** The field if this line has it, then the next line; else nothing. */
    private String optional(String field) {
        String value = "";
        if (line.startsWith(field + " ")) {
            value = field(field);
            next();
        }
        return value;
    }

    private boolean next() {
        boolean has = lines.hasNext();
        line = has ? lines.next() : "";
        return has;
    }

    private String nextField(String field) {
        next();
        return field(field);
    }

    private String field(String field) {
        if (!line.startsWith(field + " ")) {
            throw new IllegalStateException("a line of " + FILE + " does not begin with " + field + ": " + line);
        }
        return line.substring(field.length() + 1);
    }

    private String linesUntil(String end) {
        List<String> some = new ArrayList<>();
        while (next() && !line.equals(end)) {
            some.add(line);
        }
        return String.join("\n", some);
    }
}
