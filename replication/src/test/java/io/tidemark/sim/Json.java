package io.tidemark.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reads the few kinds of JSON that the coordination service holds, by the oracle's own hand. */
final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** An object: its values are Strings, Longs, Lists and Maps. */
    static Map<String, Object> object(String text) {
        return new Json(text).objectHere();
    }

    static long number(Map<String, Object> object, String field) {
        return object.get(field) instanceof Long value ? value : -1;
    }

    static String text(Map<String, Object> object, String field) {
        return object.get(field) instanceof String value ? value : "";
    }

    static List<?> list(Map<String, Object> object, String field) {
        return object.get(field) instanceof List<?> value ? value : List.of();
    }

    private char skip() {
        while (Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return text.charAt(at);
    }

    private void expect(char c) {
        if (skip() != c) {
            throw new IllegalArgumentException("no " + c + " at " + at + ": " + text);
        }
        at++;
    }

    private Map<String, Object> objectHere() {
        Map<String, Object> object = new TreeMap<>();
        expect('{');
        while (skip() != '}') {
            String field = string();
            expect(':');
            object.put(field, value());
            if (skip() == ',') {
                at++;
            }
        }
        at++;
        return object;
    }

    private Object value() {
        return switch (skip()) {
            case '{' -> objectHere();
            case '[' -> listHere();
            case '"' -> string();
            default -> scalar();
        };
    }

    private List<Object> listHere() {
        List<Object> list = new ArrayList<>();
        expect('[');
        while (skip() != ']') {
            list.add(value());
            if (skip() == ',') {
                at++;
            }
        }
        at++;
        return list;
    }

    private String string() {
        expect('"');
        int end = text.indexOf('"', at);
        String value = text.substring(at, end);
        at = end + 1;
        return value;
    }

    private Object scalar() {
        int from = at;
        while (",]} \n".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String word = text.substring(from, at);
        return Character.isLetter(word.charAt(0)) ? word : Long.valueOf(word);
    }
}
