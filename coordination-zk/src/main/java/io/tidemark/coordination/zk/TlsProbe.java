package io.tidemark.coordination.zk;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.apache.zookeeper.client.ConnectStringParser;
import org.jspecify.annotations.Nullable;

/**
 * Finds out why no encrypted connection comes about: ZooKeeper's client tries for ever, and does not tell whether a
 * certificate was refused or nobody is there. Makes one connection of its own to each server, and sends nothing over
 * it. Used by one thread; {@link #cancel} may be called by any.
 */
final class TlsProbe {
    private static final int CAUSES_MAX = 16;
    /** A server tells after the handshake of the client that it does not like its certificate. */
    private static final int VERDICT_MS = 1_000;

    private final SSLContext context;
    private final String servers;
    private final int timeoutMs;
    private volatile boolean cancelled;
    private volatile @Nullable Socket open;

    /** What one server made of the connection. */
    private enum Verdict {
        ACCEPTED,
        REFUSED,
        UNKNOWN
    }

    /**
     * Prepares a probe.
     *
     * @param context encrypts as the client does
     * @param servers {@code host:port} pairs, separated by commas
     * @param timeout how long to wait for each step with each server
     */
    TlsProbe(SSLContext context, String servers, Duration timeout) {
        this.context = context;
        this.servers = servers;
        this.timeoutMs = Math.toIntExact(timeout.toMillis());
    }

    /**
     * Tries all servers. Blocks.
     *
     * @return what the first server that refused said, if none accepted; empty if one did, or nothing is known
     */
    Optional<String> refusal() {
        List<String> refusals = new ArrayList<>();
        for (InetSocketAddress server : new ConnectStringParser(servers).getServerAddresses()) {
            if (cancelled || verdict(server, refusals) == Verdict.ACCEPTED) {
                return Optional.empty();
            }
        }
        return cancelled ? Optional.empty() : refusals.stream().findFirst();
    }

    private Verdict verdict(InetSocketAddress server, List<String> refusals) {
        try (Socket plain = new Socket()) {
            open = plain;
            plain.connect(new InetSocketAddress(server.getHostString(), server.getPort()), timeoutMs);
            plain.setSoTimeout(timeoutMs);
            return handshake(plain, server);
        } catch (IOException failed) {
            if (!isRefusal(failed)) {
                return Verdict.UNKNOWN;
            }
            refusals.add("server=" + server.getHostString() + ":" + server.getPort() + ", reason=" + failed);
            return Verdict.REFUSED;
        } finally {
            open = null;
        }
    }

    private Verdict handshake(Socket plain, InetSocketAddress server) throws IOException {
        try (SSLSocket socket = (SSLSocket)
                context.getSocketFactory().createSocket(plain, server.getHostString(), server.getPort(), true)) {
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            return verdictAfterHandshake(socket);
        }
    }

    private Verdict verdictAfterHandshake(SSLSocket socket) throws IOException {
        socket.setSoTimeout(Math.min(timeoutMs, VERDICT_MS));
        try {
            return socket.getInputStream().read() < 0 ? Verdict.UNKNOWN : Verdict.ACCEPTED;
        } catch (SocketTimeoutException silent) {
            // It waits for a request, which does not come.
            return Verdict.ACCEPTED;
        }
    }

    /** An alert or a certificate that is not good is a verdict; a connection that breaks is none. */
    private static boolean isRefusal(IOException failed) {
        Throwable cause = failed;
        for (int i = 0; i < CAUSES_MAX && cause != null; i++) {
            if (cause instanceof GeneralSecurityException
                    || (cause instanceof SSLException
                            && String.valueOf(cause.getMessage()).contains("alert"))) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    /** Ends a probe that is not wanted any more; it will report nothing. */
    void cancel() {
        cancelled = true;
        Socket socket = open;
        if (socket != null) {
            closeQuietly(socket);
        }
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException ended) {
            // Nothing is expected of this connection any more.
            return;
        }
    }
}
