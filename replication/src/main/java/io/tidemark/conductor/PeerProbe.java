package io.tidemark.conductor;

import io.tidemark.transport.Connection;
import io.tidemark.transport.ConnectionHandler;
import io.tidemark.transport.ConnectionRefusedException;
import io.tidemark.transport.Frame;
import io.tidemark.transport.Transport;
import io.tidemark.wire.MessageReader;
import io.tidemark.wire.MessageWriter;
import io.tidemark.wire.Role;
import io.tidemark.wire.sbe.HelloReplyDecoder;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether a process is dead whose connection broke. Its port is asked who is there: a refused connection, or
 * an answer by another incarnation, proves that the old process is gone, long before its session ends. A broken
 * connection alone proves nothing, and neither does silence: then the port is asked again for a while.
 *
 * <p>Owned by the conductor; its transport's handlers run there too.
 */
final class PeerProbe {
    /** How long one connection attempt and its answer may take. */
    static final long ATTEMPT_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(1);

    /** Attempts before the question is dropped; it is asked again when the next connection breaks. */
    static final int ATTEMPTS_MAX = 50;

    /** A process that is being killed may still have its listening socket for a moment. */
    static final long RETRY_NS = TimeUnit.MILLISECONDS.toNanos(20);

    /** Longest pause between two attempts. */
    static final long RETRY_MAX_NS = TimeUnit.MILLISECONDS.toNanos(250);

    private final Transport transport;
    private final Hellos hellos;
    private final IntFunction<@Nullable PeerAddress> addresses;
    private final Evidence evidence;
    private final MessageReader reader = new MessageReader();
    private final MessageWriter writer = new MessageWriter();
    private final Map<Integer, Question> questions = new HashMap<>();

    /** Receives what was proven. */
    @FunctionalInterface
    interface Evidence {
        /**
         * A process is gone for good.
         *
         * @param broker its id
         * @param incarnation its registration number, and all before it
         */
        void peerDead(int broker, long incarnation);
    }

    /**
     * Makes a probe that asks nothing yet.
     *
     * @param transport of the conductor
     * @param hellos how the conductor presents itself
     * @param addresses gives the last known address of a broker, or null
     * @param evidence the receiver
     */
    PeerProbe(Transport transport, Hellos hellos, IntFunction<@Nullable PeerAddress> addresses, Evidence evidence) {
        this.transport = transport;
        this.hellos = hellos;
        this.addresses = addresses;
        this.evidence = evidence;
    }

    /**
     * A connection with a process broke.
     *
     * @param broker its id
     * @param incarnation its registration number
     * @param nowNs now
     */
    void connectionLost(int broker, long incarnation, long nowNs) {
        Question open = questions.get(broker);
        if (open != null && open.incarnation >= incarnation) {
            return;
        }
        end(open);
        Question question = new Question(broker, incarnation, nowNs);
        questions.put(broker, question);
        ask(question, nowNs);
    }

    /**
     * Asks again where it is time, and drops what has been asked often enough.
     *
     * @param nowNs now
     * @return count of questions that were moved on
     */
    int tick(long nowNs) {
        int count = 0;
        for (Iterator<Question> all = questions.values().iterator(); all.hasNext(); ) {
            Question question = all.next();
            if (question.isAnswered || question.attempts >= ATTEMPTS_MAX) {
                all.remove();
                end(question);
                count++;
            } else if (question.nextNs - nowNs <= 0) {
                ask(question, nowNs);
                count++;
            }
        }
        return count;
    }

    /**
     * How many processes are in question.
     *
     * @return the number, 0 when nothing is asked
     */
    int openCount() {
        return questions.size();
    }

    private void ask(Question question, long nowNs) {
        PeerAddress address = addresses.apply(question.broker);
        if (address == null) {
            question.isAnswered = true;
            return;
        }
        if (address.incarnation() > question.incarnation) {
            prove(question);
            return;
        }
        end(question);
        question.attempts++;
        // The next attempt is planned at once; an answer before that ends the question.
        question.nextNs = nowNs + ATTEMPT_TIMEOUT_NS;
        question.askedNs = nowNs;
        question.connection =
                transport.connect(address.host(), address.port(), ATTEMPT_TIMEOUT_NS, new Handler(question));
    }

    private void prove(Question question) {
        if (!question.isAnswered) {
            question.isAnswered = true;
            evidence.peerDead(question.broker, question.incarnation);
        }
    }

    private static void end(@Nullable Question question) {
        if (question != null && question.connection != null) {
            Connection connection = question.connection;
            question.connection = null;
            connection.close();
        }
    }

    /** One process in question. */
    private static final class Question {
        private final int broker;
        private final long incarnation;
        private int attempts;
        private long askedNs;
        private long nextNs;
        private boolean isAnswered;
        private @Nullable Connection connection;

        private Question(int broker, long incarnation, long nowNs) {
            this.broker = broker;
            this.incarnation = incarnation;
            this.askedNs = nowNs;
            this.nextNs = nowNs;
        }
    }

    /** One attempt. */
    private final class Handler implements ConnectionHandler {
        private final Question question;

        private Handler(Question question) {
            this.question = question;
        }

        @Override
        public void onOpen(Connection connection) {
            hellos.encode(writer, Role.PROBE, -1);
            connection.send(writer.buffer(), 0, writer.length());
            connection.flush();
        }

        @Override
        public void onFrame(Connection connection, Frame frame) {
            HelloReplyDecoder reply = reader.helloReply(frame.buffer(), frame.headerIndex(), frame.headerLength());
            if (reply.brokerId() != question.broker || reply.incarnation() != question.incarnation) {
                prove(question);
            } else {
                question.isAnswered = true;
            }
        }

        @Override
        public void onReadComplete(Connection connection) {
            // Nothing is collected between frames.
        }

        @Override
        public void onWritable(Connection connection) {
            // A Hello always fits.
        }

        @Override
        public void onClosed(Connection connection, @Nullable Throwable cause) {
            if (question.connection != connection) {
                return;
            }
            question.connection = null;
            if (cause instanceof ConnectionRefusedException) {
                prove(question);
            } else if (!question.isAnswered) {
                long retryNs = Math.min(RETRY_MAX_NS, RETRY_NS * question.attempts);
                question.nextNs = question.askedNs + retryNs;
            }
        }
    }
}
