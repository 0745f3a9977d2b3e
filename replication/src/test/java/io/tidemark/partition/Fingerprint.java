package io.tidemark.partition;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A number for everything that some objects hold, down to their last field, so that two states that only differ in how
 * they came about are one. Times count by how long ago they are, and a long time is a long time.
 */
final class Fingerprint {
    private static final long PRIME = 0x9e3779b97f4a7c15L;
    private static final Map<Class<?>, List<Field>> FIELDS = new HashMap<>();

    private final long nowNs;
    private final long lagNs;
    private long hash = 1;

    private Fingerprint(long nowNs, long lagNs) {
        this.nowNs = nowNs;
        this.lagNs = lagNs;
    }

    static long of(long nowNs, long lagNs, Object... all) {
        Fingerprint fingerprint = new Fingerprint(nowNs, lagNs);
        for (Object one : all) {
            fingerprint.take(one);
        }
        return fingerprint.hash;
    }

    private void mix(long value) {
        hash = (hash ^ value) * PRIME;
        hash ^= hash >>> 32;
    }

    private void take(@Nullable Object value) {
        if (value == null) {
            mix(-7);
        } else if (value instanceof Number number) {
            mix(number.longValue());
        } else if (value instanceof Boolean || value instanceof Enum<?>) {
            mix(value.toString().hashCode());
        } else if (value instanceof List<?> list) {
            mix(list.size());
            list.forEach(this::take);
        } else if (value instanceof Map<?, ?> map) {
            mix(map.size());
            map.forEach((key, one) -> {
                take(key);
                take(one);
            });
        } else if (value instanceof Object[] array) {
            take(List.of(array));
        } else if (!(value instanceof String)) {
            fieldsOf(value);
        }
    }

    private void fieldsOf(Object value) {
        try {
            for (Field field : FIELDS.computeIfAbsent(value.getClass(), Fingerprint::fields)) {
                Object held = field.get(value);
                if (field.getName().endsWith("Ns") && held instanceof Long timeNs) {
                    mix(Math.min(nowNs - timeNs, 2 * lagNs));
                } else {
                    take(held);
                }
            }
        } catch (IllegalAccessException hidden) {
            throw new IllegalStateException("a field cannot be read", hidden);
        }
    }

    private static List<Field> fields(Class<?> type) {
        List<Field> fields = new ArrayList<>();
        for (Field field : type.getDeclaredFields()) {
            boolean isOutput = LeaderDecisions.class.isAssignableFrom(field.getType());
            if (!Modifier.isStatic(field.getModifiers()) && !isOutput && field.getType() != PartitionId.class) {
                field.setAccessible(true);
                fields.add(field);
            }
        }
        return fields;
    }
}
