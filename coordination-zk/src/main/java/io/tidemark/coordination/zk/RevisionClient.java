package io.tidemark.coordination.zk;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.apache.jute.Record;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.MultiResponse;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.proto.GetChildren2Request;
import org.apache.zookeeper.proto.GetChildren2Response;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.proto.GetDataResponse;
import org.apache.zookeeper.proto.GetSASLRequest;
import org.apache.zookeeper.proto.ReplyHeader;
import org.apache.zookeeper.proto.RequestHeader;
import org.apache.zookeeper.proto.SetSASLResponse;
import org.jspecify.annotations.Nullable;

/**
 * ZooKeeper's client, with the one thing that its public calls leave out: the transaction number (zxid) which the
 * server puts into the header of every reply. It is the revision of a commit, tells how old a read is, and whether an
 * error came from a server at all. Any thread; replies are handed to the loop.
 */
final class RevisionClient extends ZooKeeper {
    private static final int ANY_VERSION = -1;
    private static final List<Op> AGREEMENT = List.of(Op.check("/", ANY_VERSION));

    private final Executor loop;

    /**
     * Begins to connect, in threads of its own that are named after the calling one.
     *
     * @param address the ensemble
     * @param timeoutMs the session timeout to ask for
     * @param watcher receives states and watch events, on a thread of the client
     * @param config further settings
     * @param loop where replies are handed over
     * @throws IOException if the client cannot be made
     */
    RevisionClient(ZkAddress address, int timeoutMs, Watcher watcher, ZKClientConfig config, Executor loop)
            throws IOException {
        super(address.servers(), timeoutMs, watcher, false, new QuickHostProvider(address), config);
        this.loop = loop;
    }

    /** {@return the last transaction that any reply on this connection has shown} */
    long lastRevision() {
        return cnxn.getLastZxid();
    }

    /**
     * Applies operations, all or none.
     *
     * @param ops the operations
     * @param receiver is given their results; on failure the value tells which of them failed
     */
    void multi(List<Op> ops, Consumer<Reply<List<OpResult>>> receiver) {
        ReplyHeader header = new ReplyHeader();
        AsyncCallback.MultiCallback callback = (rc, path, context, results) -> reply(rc, header, results, receiver);
        queue(OpCode.multi, header, new MultiOperationRecord(ops), new MultiResponse(), callback);
    }

    /**
     * Reads a node.
     *
     * @param path its path
     * @param receiver is given the node, or NONODE
     */
    void read(String path, Consumer<Reply<ZkNode>> receiver) {
        ReplyHeader header = new ReplyHeader();
        AsyncCallback.DataCallback callback = (rc, at, context, data, stat) ->
                reply(rc, header, stat == null ? null : new ZkNode(data, stat), receiver);
        queue(OpCode.getData, header, new GetDataRequest(path, false), new GetDataResponse(), callback);
    }

    /**
     * Reads the names of the children of a node.
     *
     * @param path its path
     * @param receiver is given the names, or NONODE
     */
    void children(String path, Consumer<Reply<List<String>>> receiver) {
        ReplyHeader header = new ReplyHeader();
        AsyncCallback.Children2Callback callback = (rc, at, context, names, stat) -> reply(rc, header, names, receiver);
        queue(OpCode.getChildren2, header, new GetChildren2Request(path, false), new GetChildren2Response(), callback);
    }

    /**
     * Has the ensemble agree on a transaction that changes nothing. An answer, whatever it says, proves that the leader
     * had its quorum after the request was sent; a read or a sync would not, since a follower answers the one and a
     * leader that was deposed the other, both for as long as it takes them to notice.
     *
     * @param receiver is told whether a server answered
     */
    void agree(Consumer<Reply<List<OpResult>>> receiver) {
        multi(AGREEMENT, receiver);
    }

    /**
     * Sends one step of a SASL exchange.
     *
     * @param token what the mechanism says
     * @param receiver is given the server's answer; its revision is always 0
     */
    void sasl(byte[] token, Consumer<Reply<byte[]>> receiver) {
        ReplyHeader header = new ReplyHeader();
        SetSASLResponse response = new SetSASLResponse();
        AsyncCallback.VoidCallback callback = (rc, at, context) -> reply(rc, header, response.getToken(), receiver);
        queue(OpCode.sasl, header, new GetSASLRequest(token), response, callback);
    }

    /**
     * Creates a node outside of a transaction.
     *
     * @param path its path
     * @param acl who may do what with it
     * @param mode how long it lives
     * @param receiver is given the verdict
     */
    void createDirectory(String path, List<ACL> acl, CreateMode mode, Consumer<Code> receiver) {
        create(path, null, acl, mode, (rc, at, context, name, stat) -> hand(Code.get(rc), receiver), null);
    }

    /**
     * Watches a node and all below it; the watcher of the constructor receives the events.
     *
     * @param path the top
     * @param receiver is given the verdict
     */
    void watchBelow(String path, Consumer<Code> receiver) {
        addWatch(path, AddWatchMode.PERSISTENT_RECURSIVE, (rc, at, context) -> hand(Code.get(rc), receiver), null);
    }

    /**
     * Ends the watch on a node.
     *
     * @param path the top
     * @param receiver is given the verdict
     */
    void unwatch(String path, Consumer<Code> receiver) {
        removeAllWatches(path, Watcher.WatcherType.Any, true, (rc, at, context) -> hand(Code.get(rc), receiver), null);
    }

    /**
     * Asks the server to end the session, which removes its ephemeral nodes. Nothing can be asked after it.
     *
     * @param receiver is told whether a server confirmed it
     */
    void endSession(Consumer<Reply<Void>> receiver) {
        ReplyHeader header = new ReplyHeader();
        AsyncCallback.VoidCallback callback = (rc, at, context) -> reply(rc, header, null, receiver);
        queue(OpCode.closeSession, header, null, null, callback);
    }

    /**
     * Ends the threads of the client, without asking the server to end the session. Blocks. The inherited close would
     * ask, and wait for a server that accepts connections but never answers.
     *
     * @param waitMs how long to wait for their end
     * @return true if they have ended
     * @throws InterruptedException if the calling thread was interrupted
     */
    boolean endThreads(int waitMs) throws InterruptedException {
        cnxn.disconnect();
        return testableWaitForShutdown(waitMs);
    }

    /** Ends the ZooKeeper session and the threads, and returns early when the calling thread is interrupted. */
    @Override
    public synchronized void close() {
        try {
            super.close();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void queue(
            int opCode,
            ReplyHeader header,
            @Nullable Record request,
            @Nullable Record response,
            AsyncCallback callback) {
        RequestHeader requestHeader = new RequestHeader();
        requestHeader.setType(opCode);
        cnxn.queuePacket(requestHeader, header, request, response, callback, null, null, null, null);
    }

    private <T> void reply(int rc, ReplyHeader header, @Nullable T value, Consumer<Reply<T>> receiver) {
        hand(new Reply<>(Code.get(rc), header.getZxid(), value), receiver);
    }

    private <R> void hand(R result, Consumer<R> receiver) {
        loop.execute(() -> receiver.accept(result));
    }
}
