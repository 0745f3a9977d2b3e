package io.tidemark.coordination;

import java.nio.charset.StandardCharsets;

/**
 * The name of an entry: parts that are separated by '/', beginning with '/' and not ending with it.
 *
 * <p>A part is neither empty, {@code .} nor {@code ..}, and holds no control characters, surrogates, private-use
 * characters or specials (the narrowest rule of all back ends). Parents are implied by their children and hold no
 * value: <em>a key that holds a value has no children</em>. {@link #ROOT} names the top directory and never holds a
 * value. Keys are ordered by the UTF-16 units of their path.
 *
 * @param path the whole path, such as {@code /brokers/ids/3}
 */
public record Key(String path) implements Comparable<Key> {
    /** The top directory, {@code /}. */
    public static final Key ROOT = new Key("/");

    /**
     * Checks the path.
     *
     * @param path the whole path
     * @throws IllegalArgumentException if the path is not a valid key
     */
    public Key {
        if (!path.startsWith("/")) {
            throw invalid(path, "it must begin with '/'");
        }
        if (path.length() > 1) {
            checkParts(path);
        }
    }

    /**
     * Makes a key from its path.
     *
     * @param path the whole path
     * @return the key
     * @throws IllegalArgumentException if the path is not a valid key
     */
    public static Key of(String path) {
        return new Key(path);
    }

    private static void checkParts(String path) {
        int from = 1;
        while (from <= path.length()) {
            int slash = path.indexOf('/', from);
            int to = slash < 0 ? path.length() : slash;
            checkPart(path, path.substring(from, to));
            from = to + 1;
        }
    }

    private static void checkPart(String path, String part) {
        if (part.isEmpty()) {
            throw invalid(path, "a part is empty");
        }
        if (part.equals(".") || part.equals("..")) {
            throw invalid(path, "a part is '.' or '..'");
        }
        for (int i = 0; i < part.length(); i++) {
            char c = part.charAt(i);
            boolean control = c < ' ' || (c >= '\u007f' && c <= '\u009f');
            boolean surrogateOrPrivate = c >= '\ud800' && c <= '\uf8ff';
            if (control || surrogateOrPrivate || c >= '\ufff0') {
                throw invalid(path, "character U+" + String.format("%04X", (int) c) + " is not allowed");
            }
        }
    }

    private static IllegalArgumentException invalid(String path, String why) {
        return new IllegalArgumentException("invalid key: " + why + ": path=" + path);
    }

    /**
     * Tells whether this is the top directory.
     *
     * @return true for {@link #ROOT}
     */
    public boolean isRoot() {
        return path.length() == 1;
    }

    /**
     * The last part of the path.
     *
     * @return the name, empty for the root
     */
    public String name() {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /**
     * The directory that holds this key.
     *
     * @return the parent
     * @throws IllegalStateException if this is the root
     */
    public Key parent() {
        if (isRoot()) {
            throw new IllegalStateException("the root has no parent: path=/");
        }
        int slash = path.lastIndexOf('/');
        return slash == 0 ? ROOT : new Key(path.substring(0, slash));
    }

    /**
     * A key below this one.
     *
     * @param name one or more parts, without a leading '/'
     * @return the longer key
     * @throws IllegalArgumentException if the result is not a valid key
     */
    public Key child(String name) {
        return new Key(isRoot() ? "/" + name : path + "/" + name);
    }

    /**
     * Tells whether a key lies anywhere below this one. {@code /a/bc} is not below {@code /a/b}.
     *
     * @param other the key that may lie below
     * @return true if it does; false for this key itself
     */
    public boolean isAncestorOf(Key other) {
        if (isRoot()) {
            return !other.isRoot();
        }
        return other.path.length() > path.length()
                && other.path.charAt(path.length()) == '/'
                && other.path.startsWith(path);
    }

    /**
     * The length as stored.
     *
     * @return the number of bytes of the path in UTF-8
     */
    public int sizeBytes() {
        return path.getBytes(StandardCharsets.UTF_8).length;
    }

    @Override
    public int compareTo(Key other) {
        return path.compareTo(other.path);
    }

    @Override
    public String toString() {
        return path;
    }
}
