package io.tidemark.transport;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Remembers what happened on a connection, and copies the frames. */
class RecordingHandler implements ConnectionHandler {
    final List<String> events = new ArrayList<>();
    final List<byte[]> payloads = new ArrayList<>();
    final List<Integer> templateIds = new ArrayList<>();

    @Nullable
    Connection connection;

    @Nullable
    Throwable cause;

    int reads;

    boolean isClosed() {
        return events.contains("closed");
    }

    Connection connection() {
        if (connection == null) {
            throw new AssertionError("not connected yet");
        }
        return connection;
    }

    @Override
    public void onOpen(Connection opened) {
        connection = opened;
        events.add("open");
    }

    @Override
    public void onFrame(Connection from, Frame frame) {
        byte[] payload = new byte[frame.payloadLength()];
        frame.buffer().getBytes(frame.payloadIndex(), payload);
        payloads.add(payload);
        templateIds.add(frame.templateId());
    }

    @Override
    public void onReadComplete(Connection read) {
        reads++;
    }

    @Override
    public void onWritable(Connection changed) {
        events.add(changed.isWritable() ? "writable" : "full");
    }

    @Override
    public void onClosed(Connection closed, @Nullable Throwable why) {
        events.add("closed");
        cause = why;
    }
}
