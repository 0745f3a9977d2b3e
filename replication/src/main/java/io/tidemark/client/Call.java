package io.tidemark.client;

import io.tidemark.transport.Frame;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.MessageReader;
import io.tidemark.wire.MessageWriter;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One question to the cluster that is asked again, after a pause and maybe at another broker, until it has an answer or
 * its time is over. Owned by the client's thread; only {@link #result()} is for any thread.
 *
 * @param <T> kind of answer
 */
abstract class Call<T> implements ReplyHandler {
    private static final long PAUSE_NS = 50_000_000L;

    private final String what;
    private final long deadlineNs;
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final MessageReader reader = new MessageReader();
    private String lastFailure = "no broker could be asked";
    private ErrorCode lastCode = ErrorCode.REQUEST_TIMED_OUT;
    private boolean asked;
    private boolean outcomeUnknown;
    private boolean pausing;
    private long askAtNs;

    /**
     * A call that was not made yet.
     *
     * @param what it is, for messages
     * @param deadlineNs when it fails
     */
    Call(String what, long deadlineNs) {
        this.what = what;
        this.deadlineNs = deadlineNs;
    }

    /**
     * The broker to ask.
     *
     * @param view what is known
     * @param links to choose from
     * @param nowNs now
     * @return null if none can be asked now
     */
    abstract @Nullable BrokerLink target(ClusterView view, BrokerLinks links, long nowNs);

    /**
     * Writes the request.
     *
     * @param writer to write with
     * @param correlationId to put into it
     */
    abstract void encode(MessageWriter writer, long correlationId);

    /**
     * Acts on the reply by {@link #answer}, {@link #again} or {@link #fail}.
     *
     * @param messages to decode with
     * @param frame that came
     */
    abstract void decode(MessageReader messages, Frame frame);

    /**
     * The answer.
     *
     * @return completed on the client's thread
     */
    final CompletableFuture<T> result() {
        return result;
    }

    /**
     * Whether an earlier attempt may have had its effect though its reply did not come.
     *
     * @return true after such an attempt
     */
    final boolean outcomeUnknown() {
        return outcomeUnknown;
    }

    /**
     * Ends with an answer.
     *
     * @param value the answer
     */
    final void answer(T value) {
        result.complete(value);
    }

    /**
     * Ends with a failure.
     *
     * @param failure why
     */
    final void fail(TidemarkException failure) {
        result.completeExceptionally(failure);
    }

    /**
     * Asks again after a pause.
     *
     * @param code what the broker said
     * @param why for messages
     */
    final void again(ErrorCode code, String why) {
        lastCode = code;
        lastFailure = why;
        pausing = true;
    }

    /**
     * What the call says when its time is over.
     *
     * @param code last heard
     * @param text what, and the last failure
     * @return the failure
     */
    TidemarkException timedOut(ErrorCode code, String text) {
        return new TidemarkException(code, text, null);
    }

    /**
     * Goes on.
     *
     * @param view what is known
     * @param links to choose from
     * @param writer to write with
     * @param nowNs now
     * @return true when it has ended
     */
    final boolean tick(ClusterView view, BrokerLinks links, MessageWriter writer, long nowNs) {
        if (result.isDone()) {
            return true;
        }
        if (Deadlines.passed(nowNs, deadlineNs)) {
            fail(timedOut(lastCode, what + " failed in the time allowed: lastFailure=" + lastFailure));
            return true;
        }
        if (pausing) {
            pausing = false;
            asked = false;
            askAtNs = Deadlines.after(nowNs, PAUSE_NS);
            return false;
        }
        if (asked || (askAtNs != 0 && !Deadlines.passed(nowNs, askAtNs))) {
            return false;
        }
        final BrokerLink link = target(view, links, nowNs);
        if (link != null && link.readyOrConnect(nowNs)) {
            asked = true;
            final long correlationId = link.nextCorrelationId();
            encode(writer, correlationId);
            link.request(correlationId, writer, deadlineNs, this);
        } else if (link != null) {
            lastFailure = link.address() + ": " + link.lastFailure();
        }
        return false;
    }

    @Override
    public final void onReply(Frame frame) {
        decode(reader, frame);
    }

    @Override
    public final void onLost(String why) {
        outcomeUnknown = true;
        again(ErrorCode.REQUEST_TIMED_OUT, why);
    }
}
