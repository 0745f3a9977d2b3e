package io.tidemark.coordination.zk;

import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Listing;
import io.tidemark.coordination.ReadMode;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;

/**
 * Reads, repeated on the next connection when one breaks, until the deadline of the call. Before a linearizable read
 * the ensemble agrees on a transaction that changes nothing; ZooKeeper answers the requests of a connection in order,
 * so the read shows everything that was committed before it. Owned by the loop.
 */
final class ZkReads {
    private final ZkContext context;
    private final SharedConnection connection;

    /**
     * Prepares to read.
     *
     * @param context what the parts of a client share
     * @param connection where to read
     */
    ZkReads(ZkContext context, SharedConnection connection) {
        this.context = context;
        this.connection = connection;
    }

    /**
     * Reads one key.
     *
     * @param call the call
     * @param key the key
     * @param mode how fresh the answer must be
     */
    void get(ZkCall<Optional<Entry>> call, Key key, ReadMode mode) {
        read(
                call,
                mode,
                NodeReader.Depth.NODES,
                key,
                result -> call.settle(result.entries().stream().findFirst()));
    }

    /**
     * Reads the entries directly below a directory.
     *
     * @param call the call
     * @param dir the directory
     * @param mode how fresh the answer must be
     */
    void list(ZkCall<Listing> call, Key dir, ReadMode mode) {
        read(
                call,
                mode,
                NodeReader.Depth.CHILDREN,
                dir,
                result -> call.settle(new Listing(result.fromRevision(), result.entries())));
    }

    private <T> void read(
            ZkCall<T> call, ReadMode mode, NodeReader.Depth depth, Key key, Consumer<NodeReader.Result> settle) {
        connection.whenUp(new ZkHandle.Waiting() {
            @Override
            public boolean isOver() {
                return call.isOver();
            }

            @Override
            public void refuse(CoordinationException cause) {
                call.fail(cause);
            }

            @Override
            public void go(RevisionClient client) {
                NodeReader.Receiver receiver = new NodeReader.Receiver() {
                    @Override
                    public void onRead(NodeReader.Result result) {
                        settle.accept(result);
                    }

                    @Override
                    public void onFailed(Code code, boolean answered) {
                        if (answered) {
                            call.failRefused(code);
                        } else {
                            connection.unanswered(client);
                            read(call, mode, depth, key, settle);
                        }
                    }
                };
                attempt(
                        client,
                        call,
                        mode,
                        receiver,
                        ready -> new NodeReader(ready, context.paths(), depth, receiver)
                                .read(List.of(context.paths().path(key))));
            }
        });
    }

    private void attempt(
            RevisionClient client,
            ZkCall<?> call,
            ReadMode mode,
            NodeReader.Receiver receiver,
            Consumer<RevisionClient> readNow) {
        if (!connection.mustCatchUp(client, mode)) {
            readNow.accept(client);
            return;
        }
        client.agree(reply -> {
            if (call.isOver()) {
                return;
            }
            if (reply.isFromQuorum()) {
                readNow.accept(client);
            } else {
                receiver.onFailed(reply.code(), reply.isAnswered());
            }
        });
    }
}
