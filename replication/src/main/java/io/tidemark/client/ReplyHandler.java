package io.tidemark.client;

import io.tidemark.transport.Frame;

/** Hears how one request ended: by exactly one of the two methods, on the client's thread. */
interface ReplyHandler {
    /**
     * The reply came.
     *
     * @param frame valid during this call only
     */
    void onReply(Frame frame);

    /**
     * No reply will come; the broker may have acted on the request or not.
     *
     * @param why for messages
     */
    void onLost(String why);
}
