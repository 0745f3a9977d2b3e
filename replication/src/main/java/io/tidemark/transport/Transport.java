package io.tidemark.transport;

import java.net.InetSocketAddress;
import java.util.function.Function;

/**
 * The network of one agent.
 *
 * <p><b>Threading:</b> owned by the thread that opened it, which must make every call but {@link #wakeUp()}. All
 * handlers are called on that thread, from inside {@link #poll()} or {@link #park(long)}, never from inside a call on a
 * {@link Connection} other than {@link Connection#close()} and {@link #close()}.
 */
public interface Transport extends AutoCloseable {
    /**
     * Does the network's work that is ready now: reads, writes, new and ended connections. Never blocks.
     *
     * @return count of things done, 0 when there was nothing to do
     */
    int poll();

    /**
     * Waits until there is work, a wake-up came since the last call of this method, or the time has passed; then does
     * the work as {@link #poll()} does.
     *
     * @param timeoutNs longest wait in nanoseconds; 0 or less does not wait
     */
    void park(long timeoutNs);

    /**
     * Ends the wait in {@link #park(long)}, or makes the next one return at once if none is waiting now. Any thread;
     * never blocks. Does nothing after {@link #close()}.
     */
    void wakeUp();

    /**
     * Accepts connections at an address.
     *
     * @param host name or address to bind to
     * @param port to bind to; 0 takes a free one
     * @param acceptor gives the handler of each accepted connection
     * @return the address bound to
     * @throws TransportException if the address cannot be bound, naming it, the cause and what to do
     */
    InetSocketAddress listen(String host, int port, Function<Connection, ConnectionHandler> acceptor);

    /**
     * Starts to connect. Ends in {@link ConnectionHandler#onOpen} or in {@link ConnectionHandler#onClosed} with the
     * cause, which is a {@link ConnectionRefusedException} if nobody listens at the address.
     *
     * @param host name or address of the peer; a name is looked up on this thread, once
     * @param port of the peer, 1 to 65535
     * @param timeoutNs longest time that connecting may take, in nanoseconds, above 0
     * @param handler of the connection
     * @return the connection, not open yet; it can be closed but nothing can be sent on it
     */
    Connection connect(String host, int port, long timeoutNs, ConnectionHandler handler);

    /**
     * Closes the listeners and all connections, calling {@link ConnectionHandler#onClosed} of each with no cause, and
     * gives back descriptors and memory. Idempotent.
     */
    @Override
    void close();
}
