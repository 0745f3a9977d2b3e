package io.tidemark.sim;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * Loads the project's classes once more, with the changed class of a mutant among them, so that the mutant's run sees
 * no other and no other run sees the mutant. Sources are found beside the classes, below {@code mutant-sources}.
 */
final class MutantLoader extends ClassLoader {
    private static final String OURS = "io.tidemark.";
    /** Packages of which each knows none but those before it. */
    private static final List<String> LOWER =
            List.of("coordination.", "log.", "wire.", "transport.", "partition.", "controller.", "metadata.");

    private final Map<String, byte[]> changed;
    /** What stands below the mutant's class is not loaded again: it is warm, and runs are short. */
    private final List<String> shared;

    private MutantLoader(Map<String, byte[]> changed, List<String> shared) {
        super(MutantLoader.class.getClassLoader());
        this.changed = changed;
        this.shared = shared;
    }

    /**
     * Compiles a mutant.
     *
     * @throws IllegalStateException if there is no compiler, or the changed source does not compile
     */
    static MutantLoader of(Mutant mutant) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            throw new IllegalStateException("mutants are compiled: run this with a JDK, not with a JRE");
        }
        String source = mutant.change(sourceOf(mutant.path()));
        StringWriter problems = new StringWriter();
        try (StandardJavaFileManager standard = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            Collector collector = new Collector(standard);
            List<String> options = List.of(
                    "-proc:none",
                    "-nowarn",
                    "-classpath",
                    System.getProperty("java.class.path"),
                    "--add-exports",
                    "java.base/jdk.internal.misc=ALL-UNNAMED");
            boolean compiled = compiler.getTask(
                            problems, collector, null, options, null, List.of(new Source(mutant.path(), source)))
                    .call();
            if (!compiled) {
                throw new IllegalStateException("mutant does not compile: " + mutant.name() + "\n" + problems);
            }
            Map<String, byte[]> classes = new TreeMap<>();
            collector.outputs.forEach((name, bytes) -> classes.put(name, bytes.toByteArray()));
            return new MutantLoader(classes, below(mutant.type()));
        } catch (IOException failed) {
            throw new UncheckedIOException("the compiler's files cannot be closed: mutant=" + mutant.name(), failed);
        }
    }

    private static List<String> below(String type) {
        for (int i = 0; i < LOWER.size(); i++) {
            if (type.startsWith(LOWER.get(i))) {
                return LOWER.subList(0, i);
            }
        }
        return LOWER;
    }

    private boolean isShared(String name) {
        if (!name.startsWith(OURS)) {
            return true;
        }
        for (String lower : shared) {
            if (name.startsWith(lower, OURS.length())) {
                return true;
            }
        }
        return false;
    }

    private static String sourceOf(String path) {
        String name = "mutant-sources/" + path;
        try (InputStream in = MutantLoader.class.getClassLoader().getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("no source to change: resource=" + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failed) {
            throw new UncheckedIOException("source cannot be read: resource=" + name, failed);
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (isShared(name)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : define(name);
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        byte[] bytes = changed.get(name);
        if (bytes == null) {
            String path = name.replace('.', '/') + ".class";
            try (InputStream in = getParent().getResourceAsStream(path)) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                bytes = in.readAllBytes();
            } catch (IOException failed) {
                throw new ClassNotFoundException(name, failed);
            }
        }
        int dot = name.lastIndexOf('.');
        String packageName = name.substring(0, dot);
        if (getDefinedPackage(packageName) == null) {
            definePackage(packageName, null, null, null, null, null, null, null);
        }
        return defineClass(name, bytes, 0, bytes.length);
    }

    /** Runs a seed with the mutant; gives the invariant that was broken, or an empty text. */
    String run(long seed, String plan) {
        try {
            return (String) entry().getMethod("run", long.class, String.class).invoke(null, seed, plan);
        } catch (ReflectiveOperationException failed) {
            throw new IllegalStateException("the run with a mutant failed", failed);
        }
    }

    /** Tells a story with the mutant; gives the invariant that was broken, or an empty text. */
    String story(String name) {
        try {
            return (String) entry().getMethod("story", String.class).invoke(null, name);
        } catch (ReflectiveOperationException failed) {
            throw new IllegalStateException("the story with a mutant failed", failed);
        }
    }

    private Class<?> entry() throws ClassNotFoundException {
        return loadClass("io.tidemark.sim.MutantRun", true);
    }

    /** A source in memory. */
    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        private Source(String path, String text) {
            super(URI.create("string:///" + path), JavaFileObject.Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    /** Keeps what the compiler writes. */
    private static final class Collector extends ForwardingJavaFileManager<StandardJavaFileManager> {
        private final Map<String, ByteArrayOutputStream> outputs = new TreeMap<>();

        private Collector(StandardJavaFileManager standard) {
            super(standard);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                JavaFileManager.Location location,
                String className,
                JavaFileObject.Kind kind,
                @Nullable FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("mem:///" + className.replace('.', '/')), kind) {
                @Override
                public OutputStream openOutputStream() {
                    ByteArrayOutputStream out = new ByteArrayOutputStream();
                    outputs.put(className, out);
                    return out;
                }
            };
        }
    }
}
