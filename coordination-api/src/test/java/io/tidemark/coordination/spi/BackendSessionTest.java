package io.tidemark.coordination.spi;

import static io.tidemark.coordination.Session.State.CLOSED;
import static io.tidemark.coordination.Session.State.CONNECTED;
import static io.tidemark.coordination.Session.State.EXPIRED;
import static io.tidemark.coordination.Session.State.SUSPENDED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.coordination.Await;
import io.tidemark.coordination.ConnectionLostException;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The states and the deadline of a session, on a clock that the test moves; begins near the overflow of a long. */
final class BackendSessionTest {
    private static final long TTL_NS = 1000;

    private final AtomicLong nowNs = new AtomicLong(Long.MAX_VALUE - 500);
    private final CoordinationConfig config = CoordinationConfig.builder()
            .nanoClock(nowNs::get)
            .callbackExecutor(Runnable::run)
            .operationTimeout(Duration.ofMillis(20))
            .build();

    /** A session whose service never answers its end. */
    private final class TestSession extends BackendSession {
        private final List<State> ended = new ArrayList<>();

        TestSession() {
            super(7, Duration.ofNanos(TTL_NS), nowNs.get(), config, new CallbackExecutor(config));
        }

        @Override
        public CompletionStage<@Nullable Void> closeAsync() {
            return CompletableFuture.failedFuture(new ConnectionLostException("planned"));
        }

        @Override
        protected void onEnded(State last) {
            ended.add(last);
        }
    }

    // Walks through the table of transitions in the javadoc of Session: what is not in it, must not happen.
    @Test
    void shouldFollowTheTableOfTransitions() {
        Map<Session.State, Consumer<BackendSession>> ways = Map.of(
                CONNECTED, session -> session.renewed(nowNs.get()),
                SUSPENDED, BackendSession::suspended,
                EXPIRED, BackendSession::expired,
                CLOSED, BackendSession::closed);
        for (Session.State from : Session.State.values()) {
            for (Session.State to : Session.State.values()) {
                TestSession session = new TestSession();
                ways.getOrDefault(from, ignored -> {}).accept(session);
                assertEquals(from, session.state());
                ways.getOrDefault(to, ignored -> {}).accept(session);
                assertEquals(from.isFinal() ? from : to, session.state(), from + " to " + to);
                assertEquals(session.state().isFinal() ? 1 : 0, session.ended.size());
                assertEquals(
                        session.state().isFinal(),
                        session.terminated().toCompletableFuture().isDone());
            }
        }
    }

    @Test
    void shouldCountFromTheSendingOfTheLastConfirmedRenewal() {
        TestSession session = new TestSession();
        long sentNs = nowNs.addAndGet(400);
        nowNs.addAndGet(300);
        assertEquals(300, session.remainingNs());
        assertTrue(session.renewed(sentNs));
        assertEquals(700, session.remainingNs());
        assertTrue(session.renewed(sentNs - 100), "an older confirmation changes nothing");
        assertEquals(700, session.remainingNs());
        assertTrue(session.isValid(Duration.ofNanos(699)));
        assertFalse(session.isValid(Duration.ofNanos(700)));
    }

    @Test
    void shouldEndWhenARenewalIsConfirmedTooLate() {
        TestSession session = new TestSession();
        long sentNs = nowNs.addAndGet(999);
        assertTrue(session.isValid(Duration.ZERO));
        nowNs.addAndGet(1);
        assertFalse(session.isValid(Duration.ZERO));
        assertFalse(session.renewed(sentNs));
        assertFalse(session.isValid(Duration.ZERO));
        assertEquals(EXPIRED, session.state());
        assertEquals(List.of(EXPIRED), session.ended);
    }

    @Test
    void shouldNoticeThePassedDeadlineWhenAsked() {
        TestSession session = new TestSession();
        session.suspended();
        nowNs.addAndGet(TTL_NS);
        assertEquals(EXPIRED, session.state());
        assertEquals(EXPIRED, Await.value(session.terminated()));
        assertFalse(session.expireIfPastDeadline(), "it has ended before");
    }

    @Test
    void shouldTellEachListenerTheCurrentStateFirst() {
        TestSession session = new TestSession();
        List<Session.State> first = new ArrayList<>();
        List<Session.State> second = new ArrayList<>();
        List<Session.State> third = new ArrayList<>();
        session.addListener((from, state) -> first.add(state));
        session.suspended();
        session.suspended();
        session.addListener((from, state) -> second.add(state));
        session.renewed(nowNs.get());
        session.expired();
        session.suspended();
        session.addListener((from, state) -> third.add(state));
        assertEquals(List.of(CONNECTED, SUSPENDED, CONNECTED, EXPIRED), first);
        assertEquals(List.of(SUSPENDED, CONNECTED, EXPIRED), second);
        assertEquals(List.of(EXPIRED), third);
    }

    @Test
    void shouldBeClosedEvenIfTheServiceCannotBeReached() {
        TestSession session = new TestSession();
        session.close();
        assertEquals(CLOSED, session.state());
        session.close();
        assertEquals(List.of(CLOSED), session.ended);
    }
}
