package io.tidemark.client;

import io.tidemark.log.RecordBatch;
import io.tidemark.partition.ProducerTable;
import io.tidemark.transport.Connection;
import io.tidemark.transport.ConnectionHandler;
import io.tidemark.transport.Frame;
import io.tidemark.transport.NettyTransport;
import io.tidemark.transport.Transport;
import io.tidemark.wire.AdminAnswer;
import io.tidemark.wire.AdminCommand;
import io.tidemark.wire.AdminOperation;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.MessageReader;
import io.tidemark.wire.MessageWriter;
import io.tidemark.wire.sbe.*;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Brokers that speak the protocol over real sockets and keep their logs in memory, all on one thread. Tests say how
 * they misbehave. What a test wants to do or see it does by {@link #on}, on that thread.
 */
final class FakeCluster implements AutoCloseable {
    /** What a broker does with a produce request. */
    enum Act {
        /** Appends and answers. */
        SERVE,
        /** Answers with an error and does not append. */
        REFUSE,
        /** Appends, and closes the connection instead of answering. */
        APPEND_AND_CLOSE,
        /** Appends and never answers. */
        APPEND_AND_KEEP_SILENT,
        /** Closes the connection without appending. */
        CLOSE,
        /** Does not append and never answers. */
        IGNORE
    }

    /** Decides about a produce request. */
    interface Script {
        Act decide(int broker, FakePartition partition, RecordBatch batch);
    }

    private final Map<Integer, Integer> ports = new TreeMap<>();
    private final Map<String, List<FakePartition>> topics = new TreeMap<>();
    private final Map<Integer, List<Connection>> connections = new HashMap<>();
    private final ConcurrentLinkedQueue<Runnable> commands = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<Transport> transport = new CompletableFuture<>();
    private final Set<Integer> hidden = new HashSet<>();
    private final MessageReader reader = new MessageReader();
    private final MessageWriter writer = new MessageWriter();
    private final RecordBatch batch = new RecordBatch();
    private final UnsafeBuffer payload = new UnsafeBuffer(new byte[4 << 20]);
    private final Thread thread = new Thread(this::run, "fake-cluster");
    private final List<Throwable> failures = new ArrayList<>();
    private volatile boolean stopped;
    Script script = (broker, partition, bytes) -> Act.SERVE;
    ErrorCode refusal = ErrorCode.NOT_LEADER;
    int controller = 1;
    int leaving = 2;
    ErrorCode adminAnswer = ErrorCode.NONE;
    final List<AdminCommand> adminCommands = new ArrayList<>();
    long nextProducerId = 1000;
    int produceRequests;
    int producerIdRequests;
    int metadataRequests;
    boolean keepValues = true;

    FakeCluster(int brokers) {
        thread.start();
        for (int id = 1; id <= brokers; id++) {
            startBroker(id, 0);
        }
    }

    <T> T on(Callable<T> action) {
        final CompletableFuture<T> result = new CompletableFuture<>();
        commands.add(() -> {
            try {
                result.complete(action.call());
            } catch (Exception e) {
                result.completeExceptionally(e);
            }
        });
        transport.join().wakeUp();
        return result.join();
    }

    private void run() {
        final Transport network = NettyTransport.factory().open("fake-cluster");
        transport.complete(network);
        while (!stopped) {
            network.park(50_000_000L);
            Runnable command = commands.poll();
            while (command != null) {
                command.run();
                command = commands.poll();
            }
        }
        network.close();
    }

    void startBroker(int id, int port) {
        on(() -> ports.put(
                id,
                transport
                        .join()
                        .listen("127.0.0.1", port, connection -> new Served(id))
                        .getPort()));
    }

    String address(int id) {
        return on(() -> "127.0.0.1:" + ports.get(id));
    }

    String addresses() {
        return on(() -> String.join(
                ",", ports.values().stream().map(port -> "127.0.0.1:" + port).toList()));
    }

    List<FakePartition> createTopic(String name, int partitions) {
        return on(() -> createTopicHere(name, partitions));
    }

    private List<FakePartition> createTopicHere(String name, int partitions) {
        final UUID id = UUID.randomUUID();
        final List<FakePartition> made = new ArrayList<>();
        final List<Integer> brokers = List.copyOf(ports.keySet());
        for (int i = 0; i < partitions; i++) {
            made.add(new FakePartition(id, i, brokers.get(i % brokers.size())));
        }
        topics.put(name, made);
        return made;
    }

    void addPartition(String name) {
        on(() -> {
            final List<FakePartition> known = topics.getOrDefault(name, new ArrayList<>());
            return known.add(new FakePartition(known.get(0).topicId, known.size(), 1));
        });
    }

    void moveLeader(FakePartition partition, int broker) {
        on(() -> {
            partition.leader = broker;
            return partition.leaderEpoch++;
        });
    }

    /** Closes the connections of a broker, as if its process had died and come back. */
    void reset(int broker) {
        on(() -> {
            resetHere(broker);
            return true;
        });
    }

    private void resetHere(int broker) {
        List.copyOf(connections.getOrDefault(broker, List.of())).forEach(Connection::close);
    }

    void hide(int broker, boolean gone) {
        on(() -> gone ? hidden.add(broker) : hidden.remove(broker));
    }

    List<String> values(FakePartition partition) {
        return on(() -> List.copyOf(partition.values));
    }

    @Override
    public void close() {
        stopped = true;
        transport.join().wakeUp();
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        if (!failures.isEmpty()) {
            throw new AssertionError("the fake cluster failed", failures.get(0));
        }
    }

    private @Nullable FakePartition find(long high, long low, int partition) {
        final UUID id = new UUID(high, low);
        for (List<FakePartition> partitions : topics.values()) {
            if (partitions.get(0).topicId.equals(id) && partition < partitions.size()) {
                return partitions.get(partition);
            }
        }
        return null;
    }

    /** One accepted connection. */
    private final class Served implements ConnectionHandler {
        private final int broker;

        Served(int broker) {
            this.broker = broker;
        }

        @Override
        public void onOpen(Connection connection) {
            connections.computeIfAbsent(broker, missing -> new ArrayList<>()).add(connection);
        }

        @Override
        public void onFrame(Connection connection, Frame frame) {
            try {
                serve(connection, frame);
            } catch (RuntimeException e) {
                failures.add(e);
                throw e;
            }
        }

        private void serve(Connection connection, Frame frame) {
            switch (frame.templateId()) {
                case HelloDecoder.TEMPLATE_ID -> {
                    writer.helloReply()
                            .code((short) 0)
                            .brokerId(broker)
                            .incarnation(1)
                            .clusterId("fake")
                            .message("");
                    connection.send(writer.buffer(), 0, writer.length());
                }
                case MetadataRequestDecoder.TEMPLATE_ID -> metadata(connection, frame);
                case ProduceRequestDecoder.TEMPLATE_ID -> produce(connection, frame);
                case ConsumeRequestDecoder.TEMPLATE_ID -> consume(connection, frame);
                case OffsetsRequestDecoder.TEMPLATE_ID -> offsets(connection, frame);
                case InitProducerIdRequestDecoder.TEMPLATE_ID -> producerId(connection, frame);
                case AdminRequestDecoder.TEMPLATE_ID -> createTopic(connection, frame);
                case DescribeBrokerRequestDecoder.TEMPLATE_ID -> {
                    final long id = reader.describeBrokerRequest(
                                    frame.buffer(), frame.headerIndex(), frame.headerLength())
                            .correlationId();
                    writer.describeBrokerReply()
                            .correlationId(id)
                            .code((short) 0)
                            .brokerId(broker)
                            .incarnation(1)
                            .countersCount(1)
                            .next()
                            .value(broker * 10L)
                            .name("acks.sent");
                    connection.send(writer.buffer(), 0, writer.length());
                }
                default -> throw new AssertionError("templateId=" + frame.templateId());
            }
        }

        private void metadata(Connection connection, Frame frame) {
            metadataRequests++;
            final MetadataRequestDecoder request =
                    reader.metadataRequest(frame.buffer(), frame.headerIndex(), frame.headerLength());
            final long correlationId = request.correlationId();
            final Set<String> names = new HashSet<>();
            request.topics().forEach(topic -> names.add(topic.name()));
            final List<String> wanted = names.isEmpty() ? List.copyOf(topics.keySet()) : List.copyOf(names);
            final MetadataReplyEncoder reply = writer.metadataReply()
                    .correlationId(correlationId)
                    .code((short) 0)
                    .controllerBroker(controller)
                    .controllerEpoch(1);
            final List<Integer> live =
                    ports.keySet().stream().filter(id -> !hidden.contains(id)).toList();
            final MetadataReplyEncoder.BrokersEncoder brokers = reply.brokersCount(live.size());
            live.forEach(id -> brokers.next()
                    .id(id)
                    .incarnation(1)
                    .port(ports.getOrDefault(id, -1))
                    .status((short) (id == leaving ? 1 : 0))
                    .host("127.0.0.1")
                    .rack("rack-" + id));
            final MetadataReplyEncoder.TopicsEncoder group = reply.topicsCount(wanted.size());
            for (String name : wanted) {
                final List<FakePartition> partitions = topics.getOrDefault(name, List.of());
                group.next()
                        .code((partitions.isEmpty() ? ErrorCode.UNKNOWN_TOPIC : ErrorCode.NONE).code())
                        .topicIdHigh(
                                partitions.isEmpty()
                                        ? 0
                                        : partitions.get(0).topicId.getMostSignificantBits())
                        .topicIdLow(
                                partitions.isEmpty()
                                        ? 0
                                        : partitions.get(0).topicId.getLeastSignificantBits());
                final MetadataReplyEncoder.TopicsEncoder.PartitionsEncoder states =
                        group.partitionsCount(partitions.size());
                for (FakePartition partition : partitions) {
                    states.next()
                            .partition(partition.partition)
                            .leaderBroker(partition.leader)
                            .leaderIncarnation(1)
                            .leaderEpoch(partition.leaderEpoch)
                            .partitionEpoch(1)
                            .minIsr((short) 1)
                            .durability((short) 0);
                    states.isrCount(1).next().broker(partition.leader).incarnation(1);
                    states.elrCount(0);
                    states.assignmentCount(1).next().broker(partition.leader);
                    states.addingCount(1).next().broker(2);
                    states.removingCount(0);
                }
                group.settingsCount(0);
                group.name(name);
            }
            reply.clusterId("fake");
            connection.send(writer.buffer(), 0, writer.length());
        }

        private void produce(Connection connection, Frame frame) {
            produceRequests++;
            final ProduceRequestDecoder request =
                    reader.produceRequest(frame.buffer(), frame.headerIndex(), frame.headerLength());
            final FakePartition partition = find(request.topicIdHigh(), request.topicIdLow(), request.partition());
            batch.wrap(frame.buffer(), frame.payloadIndex(), frame.payloadLength());
            batch.ensureValid();
            if (partition == null || partition.leader != broker) {
                answer(connection, request, partition == null ? ErrorCode.UNKNOWN_TOPIC : ErrorCode.NOT_LEADER, -1, -1);
                return;
            }
            final Act act = script.decide(broker, partition, batch);
            switch (act) {
                case REFUSE -> answer(connection, request, refusal, -1, -1);
                case CLOSE -> connection.close();
                case IGNORE -> {}
                case SERVE, APPEND_AND_CLOSE, APPEND_AND_KEEP_SILENT -> append(connection, request, partition, act);
            }
        }

        private void append(Connection connection, ProduceRequestDecoder request, FakePartition partition, Act act) {
            final ProducerTable.Check check = partition.check(batch);
            ErrorCode code = switch (check) {
                case APPEND, DUPLICATE -> ErrorCode.NONE;
                case DUPLICATE_UNKNOWN -> ErrorCode.DUPLICATE_SEQUENCE;
                case OUT_OF_ORDER -> ErrorCode.OUT_OF_ORDER_SEQUENCE;
                case STALE_EPOCH -> ErrorCode.STALE_PRODUCER_EPOCH;
                case UNKNOWN_PRODUCER -> ErrorCode.UNKNOWN_PRODUCER;
            };
            long base = -1;
            if (check == ProducerTable.Check.DUPLICATE) {
                base = partition.producers.duplicateBaseOffset();
            } else if (check == ProducerTable.Check.APPEND) {
                base = partition.append(batch);
                if (!keepValues) {
                    partition.values.clear();
                    partition.batches.clear();
                }
            }
            if (act == Act.APPEND_AND_CLOSE) {
                connection.close();
            } else if (act == Act.SERVE && request.acks() != 0) {
                answer(connection, request, code, base, base + batch.recordCount());
            }
        }

        private void answer(
                Connection connection, ProduceRequestDecoder request, ErrorCode code, long base, long next) {
            writer.produceReply()
                    .correlationId(request.correlationId())
                    .code(code.code())
                    .baseOffset(base)
                    .nextOffset(next)
                    .message("");
            connection.send(writer.buffer(), 0, writer.length());
        }

        private void consume(Connection connection, Frame frame) {
            final ConsumeRequestDecoder request =
                    reader.consumeRequest(frame.buffer(), frame.headerIndex(), frame.headerLength());
            final FakePartition partition = find(request.topicIdHigh(), request.topicIdLow(), request.partition());
            ErrorCode code = ErrorCode.NONE;
            int length = 0;
            long end = -1;
            if (partition == null) {
                code = ErrorCode.UNKNOWN_TOPIC;
            } else if (partition.leader != broker) {
                code = ErrorCode.NOT_LEADER;
            } else if (request.fetchOffset() < partition.logStart || request.fetchOffset() > partition.end) {
                code = ErrorCode.OFFSET_OUT_OF_RANGE;
                end = partition.end;
            } else {
                length = partition.copyFrom(request.fetchOffset(), request.maxBytes(), payload);
                end = partition.end;
            }
            writer.consumeReply()
                    .correlationId(request.correlationId())
                    .code(code.code())
                    .leaderEpoch(partition == null ? -1 : partition.leaderEpoch)
                    .highWatermark(end)
                    .logStartOffset(partition == null ? -1 : partition.logStart)
                    .message("");
            connection.send(writer.buffer(), 0, writer.length(), payload, 0, length);
        }

        private void offsets(Connection connection, Frame frame) {
            final OffsetsRequestDecoder request =
                    reader.offsetsRequest(frame.buffer(), frame.headerIndex(), frame.headerLength());
            final FakePartition partition = find(request.topicIdHigh(), request.topicIdLow(), request.partition());
            writer.offsetsReply()
                    .correlationId(request.correlationId())
                    .code((partition == null ? ErrorCode.UNKNOWN_TOPIC : ErrorCode.NONE).code())
                    .logStartOffset(partition == null ? -1 : partition.logStart)
                    .endOffset(partition == null ? -1 : partition.end)
                    .leaderEpoch(partition == null ? -1 : partition.leaderEpoch);
            connection.send(writer.buffer(), 0, writer.length());
        }

        private void producerId(Connection connection, Frame frame) {
            producerIdRequests++;
            final InitProducerIdRequestDecoder request =
                    reader.initProducerIdRequest(frame.buffer(), frame.headerIndex(), frame.headerLength());
            final boolean raise = request.previousProducerId() >= 0;
            writer.initProducerIdReply()
                    .correlationId(request.correlationId())
                    .code((short) 0)
                    .producerId(raise ? request.previousProducerId() : nextProducerId++)
                    .producerEpoch((short) (raise ? request.previousEpoch() + 1 : 0))
                    .message("");
            connection.send(writer.buffer(), 0, writer.length());
        }

        private void createTopic(Connection connection, Frame frame) {
            final AdminRequestDecoder request =
                    reader.adminRequest(frame.buffer(), frame.headerIndex(), frame.headerLength());
            final long correlationId = request.correlationId();
            final AdminCommand command = AdminCommand.decode(request);
            final String name = command.topic();
            final boolean isCreation = command.operation() == AdminOperation.CREATE_TOPIC.code();
            ErrorCode code = ErrorCode.NONE;
            if (broker != controller) {
                code = ErrorCode.NOT_CONTROLLER;
            } else if (isCreation && topics.containsKey(name)) {
                code = ErrorCode.TOPIC_EXISTS;
            } else if (isCreation) {
                createTopicHere(name, Integer.parseInt(command.settings().getOrDefault("partitions", "3")));
            } else {
                code = adminAnswer;
            }
            adminCommands.add(command);
            AdminAnswer.of(code, code == ErrorCode.TOPIC_EXISTS ? "topic exists: topic=" + name : "")
                    .encode(writer, correlationId);
            connection.send(writer.buffer(), 0, writer.length());
        }

        @Override
        public void onReadComplete(Connection connection) {
            connection.flush();
        }

        @Override
        public void onWritable(Connection connection) {
            connection.flush();
        }

        @Override
        public void onClosed(Connection connection, @Nullable Throwable cause) {
            connections.getOrDefault(broker, new ArrayList<>()).remove(connection);
        }
    }
}
