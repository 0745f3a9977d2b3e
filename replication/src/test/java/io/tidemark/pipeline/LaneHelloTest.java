package io.tidemark.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.wire.AdminAnswer;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.FrameDescriptor;
import io.tidemark.wire.MessageWriter;
import io.tidemark.wire.Role;
import io.tidemark.wire.sbe.AdminReplyDecoder;
import io.tidemark.wire.sbe.AdminRequestDecoder;
import io.tidemark.wire.sbe.MetadataReplyDecoder;
import io.tidemark.wire.sbe.UpdateStatesRequestEncoder;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the lane makes of a connection's first message, and what it forwards. */
class LaneHelloTest {
    private static final int VERSION = FrameDescriptor.PROTOCOL_VERSION;

    @TempDir
    Path directory;

    private LaneCluster cluster;

    @BeforeEach
    void start() {
        cluster = new LaneCluster(directory, 1);
        cluster.run();
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private LaneClient greet(Role role, int version, int lane, String clusterId) {
        LaneClient client = cluster.client().hello(role, version, lane, clusterId);
        client.connect("node1", cluster.node(1).transport().port());
        cluster.run();
        return client;
    }

    // Clients may name no cluster; everyone else names the right one, the right lane and the right version.
    @Test
    void shouldCheckEachPartOfAHello() {
        String id = LaneCluster.CLUSTER_ID;
        assertEquals(ErrorCode.NONE, greet(Role.CLIENT, VERSION, 0, "").greeting);
        assertEquals(ErrorCode.NONE, greet(Role.CLIENT, VERSION, 0, id).greeting);
        assertEquals(ErrorCode.NONE, greet(Role.FOLLOWER, VERSION, 0, id).greeting);
        assertEquals(ErrorCode.NONE, greet(Role.PROBE, VERSION, 0, id).greeting);
        LaneClient version = greet(Role.CLIENT, VERSION + 1, 0, id);
        assertEquals(ErrorCode.UNSUPPORTED_VERSION, version.greeting);
        assertTrue(version.closed);
        assertEquals(ErrorCode.WRONG_CLUSTER, greet(Role.CLIENT, VERSION, 0, "another").greeting);
        assertEquals(ErrorCode.WRONG_CLUSTER, greet(Role.FOLLOWER, VERSION, 0, "").greeting);
        assertEquals(ErrorCode.INVALID_REQUEST, greet(Role.FOLLOWER, VERSION, 1, id).greeting);
    }

    // Without a registration nobody but clients is greeted.
    @Test
    void shouldRefuseBrokersWhileNotRegistered() {
        cluster.node(1).proxy().fence("session lost");
        cluster.run();
        String id = LaneCluster.CLUSTER_ID;
        assertEquals(ErrorCode.COORDINATION_LOST, greet(Role.FOLLOWER, VERSION, 0, id).greeting);
        assertEquals(ErrorCode.COORDINATION_LOST, greet(Role.PROBE, VERSION, 0, id).greeting);
        assertEquals(ErrorCode.NONE, greet(Role.CLIENT, VERSION, 0, id).greeting);
    }

    // A request for the controller is forwarded with its connection, and the answer finds its way back.
    @Test
    void shouldForwardWhatTheConductorAnswers() {
        LaneClient client = greet(Role.CLIENT, VERSION, 0, "");
        client.createTopic("orders");
        client.metadata("nothing");
        cluster.run();
        assertTrue(client.templates.contains(MetadataReplyDecoder.TEMPLATE_ID));
        LaneNode node = cluster.node(1);
        assertEquals(1, node.conductor.forwarded.size());
        FakeConductor.Forwarded request = node.conductor.forwarded.get(0);
        assertEquals(AdminRequestDecoder.TEMPLATE_ID, request.templateId());
        MessageWriter writer = new MessageWriter();
        AdminAnswer.of(ErrorCode.NOT_CONTROLLER, "").encode(writer, 1);
        assertTrue(node.proxy().reply(request.connectionId(), writer.copy()));
        assertTrue(node.proxy().reply(12345, writer.copy()));
        cluster.run();
        assertEquals(
                List.of(AdminReplyDecoder.TEMPLATE_ID),
                client.templates.subList(client.templates.size() - 1, client.templates.size()));
    }

    // A request before the Hello, or states from somebody who is no controller: the connection is closed.
    @Test
    void shouldCloseAConnectionThatBreaksTheProtocol() {
        LaneClient client = greet(Role.CLIENT, VERSION, 0, "");
        MessageWriter writer = new MessageWriter();
        UpdateStatesRequestEncoder request = writer.updateStatesRequest()
                .correlationId(1)
                .controllerBroker(1)
                .controllerEpoch(1)
                .full((short) 0);
        request.statesCount(0);
        request.deletedCount(0);
        client.connection().send(writer.buffer(), 0, writer.length());
        client.connection().flush();
        cluster.run();
        assertTrue(client.closed);
        assertFalse(cluster.node(1).agent().proxy().isClosed());
        assertEquals(0, cluster.node(1).conductor.forwarded.size());
    }
}
