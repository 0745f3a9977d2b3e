package io.tidemark.conductor;

import io.tidemark.wire.FrameDescriptor;
import io.tidemark.wire.MessageWriter;
import io.tidemark.wire.Role;

/**
 * How this broker presents itself on the connections that its conductor opens. Owned by the conductor.
 */
final class Hellos {
    private final int brokerId;
    private long incarnation = -1;
    private String clusterId = "";

    /**
     * Begins unregistered.
     *
     * @param brokerId id of this broker
     */
    Hellos(int brokerId) {
        this.brokerId = brokerId;
    }

    /**
     * Takes a new registration.
     *
     * @param newIncarnation its number
     * @param newClusterId the cluster
     */
    void registered(long newIncarnation, String newClusterId) {
        incarnation = newIncarnation;
        clusterId = newClusterId;
    }

    /**
     * The last registration.
     *
     * @return its number, -1 before the first one
     */
    long incarnation() {
        return incarnation;
    }

    /**
     * Encodes a Hello to lane 0, where control connections go.
     *
     * @param writer into which
     * @param role what this side wants to be
     * @param controllerEpoch term of the controller, -1 for other roles
     */
    void encode(MessageWriter writer, Role role, long controllerEpoch) {
        writer.hello()
                .protocolVersion(FrameDescriptor.PROTOCOL_VERSION)
                .role((short) role.code())
                .lane(0)
                .brokerId(brokerId)
                .incarnation(incarnation)
                .controllerEpoch(controllerEpoch)
                .clusterId(clusterId);
    }
}
