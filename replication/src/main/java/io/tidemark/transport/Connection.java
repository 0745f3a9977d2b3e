package io.tidemark.transport;

import io.tidemark.log.LogSlice;
import org.agrona.DirectBuffer;

/**
 * One connection of a {@link Transport}. Owned by the transport's thread, like the transport.
 *
 * <p>What is sent is collected until {@link #flush()}. Sending on a connection that is not open does nothing but
 * release what was handed over: its handler hears of the close anyway.
 */
public interface Connection {
    /**
     * Number of the connection, never given twice by one transport.
     *
     * @return 1 or more
     */
    long id();

    /**
     * Address of the peer, for messages.
     *
     * @return host:port
     */
    String remoteAddress();

    /**
     * Whether frames can be sent.
     *
     * @return true from {@link ConnectionHandler#onOpen} until the close begins
     */
    boolean isOpen();

    /**
     * Whether what waits to be written is below the high-water mark. Above it a sender should wait for
     * {@link ConnectionHandler#onWritable}; what it sends nevertheless is kept in memory.
     *
     * @return false while too much waits
     */
    boolean isWritable();

    /**
     * Sends a frame without payload. Copies the header.
     *
     * @param header buffer that holds the SBE message header and the message
     * @param index where they start
     * @param length bytes of both
     * @throws TransportException if the frame is longer than the transport's limit; nothing is sent
     */
    void send(DirectBuffer header, int index, int length);

    /**
     * Sends a frame with a payload. Copies both.
     *
     * @param header buffer that holds the SBE message header and the message
     * @param index where they start
     * @param length bytes of both
     * @param payload buffer that holds the record batches
     * @param payloadIndex where they start
     * @param payloadLength bytes, 0 for none
     * @throws TransportException if the frame is longer than the transport's limit; nothing is sent
     */
    void send(DirectBuffer header, int index, int length, DirectBuffer payload, int payloadIndex, int payloadLength);

    /**
     * Sends a frame whose payload is slices of logs, one after the other. Copies the header, and slices that are small;
     * large ones are written from where they lie. Takes the leases over in any case, even when it throws: the slices
     * given hold none afterwards, and each lease is given back when its bytes are written or the connection is closed.
     *
     * @param header buffer that holds the SBE message header and the message
     * @param index where they start
     * @param length bytes of both
     * @param payloads slices that hold a lease
     * @param count slices to take from the start of the array, 0 for none
     * @throws TransportException if the frame is longer than the transport's limit; nothing is sent
     */
    void send(DirectBuffer header, int index, int length, LogSlice[] payloads, int count);

    /** Hands everything sent since the last flush to the operating system. */
    void flush();

    /**
     * Stops or resumes reading. While reading is off, the peer is held back by TCP; frames already read are still
     * handed over.
     *
     * @param on whether to read
     */
    void setReading(boolean on);

    /**
     * Closes the connection; {@link ConnectionHandler#onClosed} follows with no cause. What was not flushed is
     * dropped.
     */
    void close();
}
