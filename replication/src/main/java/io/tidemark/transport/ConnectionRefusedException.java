package io.tidemark.transport;

/**
 * Nobody listens at the address: the operating system of the peer refused the connection. Evidence of a dead process.
 */
public final class ConnectionRefusedException extends TransportException {
    private static final long serialVersionUID = 1L;

    /**
     * Says who was not there.
     *
     * @param text naming the address
     * @param cause as the operating system reported it
     */
    public ConnectionRefusedException(String text, Throwable cause) {
        super(text, cause);
    }
}
