package io.tidemark.coordination.zk;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.apache.zookeeper.Watcher.Event.EventType;
import org.junit.jupiter.api.Test;

class NodeEventsTest {
    private static final long NO_REVISION = -1;

    // The node was gone when it was read at 72; the event of its new creation came before the reading was given on.
    @Test
    void shouldGiveADeletionItsOwnRevisionWhenTheNodeIsThereAgain() {
        NodeEvents events = NodeEvents.of(EventType.NodeDeleted, 70).and(NodeEvents.of(EventType.NodeCreated, 75));
        assertEquals(70, events.deletedAt(72));
        assertEquals(new NodeEvents(70, 75, 70), events);
    }

    @Test
    void shouldGiveTheLastOfTwoDeletions() {
        NodeEvents events = NodeEvents.of(EventType.NodeDeleted, 70)
                .and(NodeEvents.of(EventType.NodeCreated, 75))
                .and(NodeEvents.of(EventType.NodeDeleted, 76));
        assertEquals(76, events.deletedAt(72));
    }

    @Test
    void shouldGiveTheRevisionOfTheReadingWhenTheServerGivesNoneWithAnEvent() {
        assertEquals(72, NodeEvents.of(EventType.NodeDeleted, NO_REVISION).deletedAt(72));
        assertEquals(72, NodeEvents.NONE.deletedAt(72));
    }
}
