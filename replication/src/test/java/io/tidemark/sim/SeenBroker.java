package io.tidemark.sim;

import java.util.Map;

/**
 * A broker's registration as the oracle reads it.
 *
 * @param incarnation number of the life
 * @param intactSince oldest life since which nothing is lost
 * @param running whether it may take roles
 */
record SeenBroker(long incarnation, long intactSince, boolean running) {
    static SeenBroker parse(String json) {
        Map<String, Object> object = Json.object(json);
        return new SeenBroker(
                Json.number(object, "incarnation"),
                Json.number(object, "intactSince"),
                Json.text(object, "status").equals("RUNNING"));
    }

    /** Whether this is the same life, but about to end. */
    boolean isDepartureOf(SeenBroker before) {
        return before.running && equals(new SeenBroker(before.incarnation, before.intactSince, false));
    }
}
