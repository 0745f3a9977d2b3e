package io.tidemark.tools.system;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.random.RandomGenerator;

/**
 * Finds ports on the loopback device for servers that come back under the same address. They are taken from below the
 * range that the kernel gives to outgoing connections: a port of that range may be taken, while its server is down,
 * by the very clients that try to reach it.
 */
public final class Ports {
    private static final int FIRST_PORT = 15_000;
    private static final int END_PORT = 32_000;
    private static final int ATTEMPTS_MAX = 200;

    private Ports() {}

    /**
     * Finds a free port.
     *
     * @param random chooses where to look
     * @return a port that nobody listened on a moment ago
     * @throws CommandFailure if none was found
     */
    public static int findFree(RandomGenerator random) {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            int port = random.nextInt(FIRST_PORT, END_PORT);
            if (isFree(port)) {
                return port;
            }
        }
        throw new CommandFailure("found no free port on the loopback device: from=" + FIRST_PORT + ", to=" + END_PORT
                + ", attempts=" + ATTEMPTS_MAX);
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException taken) {
            return false;
        }
    }
}
