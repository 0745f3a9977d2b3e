package io.tidemark.conductor;

import io.tidemark.controller.BrokerRegistration;
import io.tidemark.partition.Replica;
import io.tidemark.transport.Connection;
import io.tidemark.transport.ConnectionHandler;
import io.tidemark.transport.Frame;
import io.tidemark.transport.Transport;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.MessageReader;
import io.tidemark.wire.MessageWriter;
import io.tidemark.wire.Role;
import io.tidemark.wire.sbe.HelloReplyDecoder;
import io.tidemark.wire.sbe.HelloReplyEncoder;
import io.tidemark.wire.sbe.WitnessReplyDecoder;
import io.tidemark.wire.sbe.WitnessReplyEncoder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Asks other brokers whether they too have found a process dead. Each is asked once for each process, over a connection
 * of its own that ends with the answer; who cannot be reached is asked again for a while. Owned by the conductor.
 */
final class Inquiries {
    /** How long after its begin an inquiry goes on asking. */
    static final long INQUIRY_NS = TimeUnit.SECONDS.toNanos(10);

    /** How long a broker may take to connect and to answer. It answers late if it has not noticed the death yet. */
    static final long ATTEMPT_TIMEOUT_NS = DeathWatch.TESTIMONY_WAIT_NS + TimeUnit.SECONDS.toNanos(1);

    /** Pause before the same broker is asked again. */
    static final long RETRY_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Brokers that are asked about one process. */
    static final int ASKED_MAX = 16;

    private final Transport transport;
    private final Hellos hellos;
    private final MessageReader reader = new MessageReader();
    private final MessageWriter writer = new MessageWriter();
    private final Map<Integer, Inquiry> inquiries = new HashMap<>();

    /**
     * Asks nobody yet.
     *
     * @param transport of the conductor
     * @param hellos how the conductor presents itself
     */
    Inquiries(Transport transport, Hellos hellos) {
        this.transport = transport;
        this.hellos = hellos;
    }

    /**
     * Begins to ask about a process, unless it was begun before.
     *
     * @param process that this broker has found dead
     * @param others registered brokers that may be asked; the process's own broker is left out
     * @param nowNs now
     */
    void begin(Replica process, Collection<BrokerRegistration> others, long nowNs) {
        Inquiry known = inquiries.get(process.broker());
        if (known != null && known.process.incarnation() >= process.incarnation()) {
            return;
        }
        if (known != null) {
            known.end();
        }
        Inquiry inquiry = new Inquiry(process, nowNs + INQUIRY_NS);
        others.stream()
                .filter(other -> other.broker() != process.broker())
                .limit(ASKED_MAX)
                .forEach(other -> inquiry.open.add(new Question(inquiry, other, nowNs)));
        inquiries.put(process.broker(), inquiry);
        inquiry.tick(nowNs);
    }

    /**
     * The other processes that have found a process dead.
     *
     * @param process the process
     * @return the witnesses, an immutable copy; empty if nobody was asked or nobody confirmed it
     */
    Set<Replica> witnesses(Replica process) {
        Inquiry inquiry = inquiries.get(process.broker());
        return inquiry == null || !inquiry.process.equals(process) ? Set.of() : Set.copyOf(inquiry.witnesses);
    }

    /**
     * Moves questions on.
     *
     * @param nowNs now
     * @return count of things done
     */
    int tick(long nowNs) {
        int count = 0;
        for (Inquiry inquiry : inquiries.values()) {
            count += inquiry.tick(nowNs);
        }
        return count;
    }

    /**
     * How many questions wait for an answer or a repetition.
     *
     * @return the number, 0 when nobody is asked
     */
    int openCount() {
        int count = 0;
        for (Inquiry inquiry : inquiries.values()) {
            count += inquiry.open.size();
        }
        return count;
    }

    /** The questions about one process, and who confirmed its death. Kept until a later life of the broker dies. */
    private static final class Inquiry {
        private final Replica process;
        private final long endNs;
        private final List<Question> open = new ArrayList<>();
        private final Set<Replica> witnesses = new HashSet<>();

        private Inquiry(Replica process, long endNs) {
            this.process = process;
            this.endNs = endNs;
        }

        private int tick(long nowNs) {
            int count = 0;
            for (Iterator<Question> all = open.iterator(); all.hasNext(); ) {
                Question question = all.next();
                if (question.isAnswered || endNs - nowNs <= 0) {
                    all.remove();
                    question.end();
                    count++;
                } else if (question.nextNs - nowNs <= 0) {
                    question.ask(nowNs);
                    count++;
                }
            }
            return count;
        }

        private void end() {
            open.forEach(Question::end);
            open.clear();
        }
    }

    /** One broker that is asked about one process. */
    private final class Question implements ConnectionHandler {
        private final Inquiry inquiry;
        private final BrokerRegistration asked;
        private long nextNs;
        private long askedNs;
        private boolean isAnswered;
        private @Nullable Connection connection;

        private Question(Inquiry inquiry, BrokerRegistration asked, long nowNs) {
            this.inquiry = inquiry;
            this.asked = asked;
            this.nextNs = nowNs;
            this.askedNs = nowNs;
        }

        private void ask(long nowNs) {
            end();
            askedNs = nowNs;
            nextNs = nowNs + ATTEMPT_TIMEOUT_NS;
            connection = transport.connect(asked.host(), asked.port(), ATTEMPT_TIMEOUT_NS, this);
        }

        private void end() {
            Connection current = connection;
            connection = null;
            if (current != null) {
                current.close();
            }
        }

        @Override
        public void onOpen(Connection opened) {
            hellos.encode(writer, Role.PROBE, -1);
            send(opened);
        }

        private void send(Connection to) {
            to.send(writer.buffer(), 0, writer.length());
            to.flush();
        }

        @Override
        public void onFrame(Connection from, Frame frame) {
            if (from != connection) {
                return;
            }
            if (frame.templateId() == HelloReplyEncoder.TEMPLATE_ID) {
                HelloReplyDecoder reply = reader.helloReply(frame.buffer(), frame.headerIndex(), frame.headerLength());
                boolean isMeant = reply.brokerId() == asked.broker() && reply.incarnation() == asked.incarnation();
                if (ErrorCode.of(reply.code()) != ErrorCode.NONE || !isMeant) {
                    // Another life of that broker has seen nothing of this death.
                    isAnswered = true;
                    return;
                }
                writer.witnessRequest()
                        .correlationId(0)
                        .brokerId(inquiry.process.broker())
                        .incarnation(inquiry.process.incarnation());
                send(from);
            } else if (frame.templateId() == WitnessReplyEncoder.TEMPLATE_ID) {
                WitnessReplyDecoder reply =
                        reader.witnessReply(frame.buffer(), frame.headerIndex(), frame.headerLength());
                if (reply.isDead() == 1
                        && reply.brokerId() == inquiry.process.broker()
                        && reply.incarnation() == inquiry.process.incarnation()) {
                    isAnswered = true;
                    inquiry.witnesses.add(new Replica(asked.broker(), asked.incarnation()));
                } else {
                    nextNs = askedNs + ATTEMPT_TIMEOUT_NS;
                }
            }
        }

        @Override
        public void onReadComplete(Connection from) {
            // Nothing is collected between frames.
        }

        @Override
        public void onWritable(Connection to) {
            // Two small messages always fit.
        }

        @Override
        public void onClosed(Connection closed, @Nullable Throwable cause) {
            if (closed == connection) {
                connection = null;
                nextNs = askedNs + RETRY_NS;
            }
        }
    }
}
