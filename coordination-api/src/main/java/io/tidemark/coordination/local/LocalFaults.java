package io.tidemark.coordination.local;

import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.Session;
import java.util.ArrayList;
import java.util.List;

/**
 * Faults of a {@link LocalStore}, for tests of what is built on coordination. Each takes effect before its call
 * returns; what it makes the clients call back follows on their executors. Any thread.
 */
public final class LocalFaults {
    private final LocalStore store;

    /**
     * Makes the faults of a store.
     *
     * @param store the store
     */
    LocalFaults(LocalStore store) {
        this.store = store;
    }

    /**
     * Has the store end a session now, as if it had not been renewed in time.
     *
     * @param session the session
     */
    public void expireSession(Session session) {
        expireSession(session.id());
    }

    /**
     * Has the store end a session now; see {@link #expireSession(Session)}.
     *
     * @param sessionId the id of the session
     */
    public void expireSession(long sessionId) {
        store.locked(after -> store.expire(sessionId, after));
    }

    /**
     * Breaks the connection of a client, which notices: its calls fail at once with nothing sent, its sessions are
     * suspended, its watches stale. Lasts until {@link #heal}.
     *
     * @param client a client of this store
     */
    public void disconnect(Coordination client) {
        store.locked(after -> local(client).cut(ClientLink.Mode.DOWN, after));
    }

    /**
     * Has all messages of a client vanish, so that it only notices the silence: its calls end by their deadline,
     * writes with an unknown outcome and without effect. Lasts until {@link #heal}.
     *
     * @param client a client of this store
     */
    public void partition(Coordination client) {
        store.locked(after -> local(client).cut(ClientLink.Mode.SILENT, after));
    }

    /**
     * Ends {@link #disconnect} and {@link #partition}: sessions are renewed, or learn that they have ended, and
     * watches take a new snapshot.
     *
     * @param client a client of this store
     */
    public void heal(Coordination client) {
        store.locked(after -> local(client).heal(after));
    }

    /**
     * Loses the request of one of the client's next transactions: it is not applied, and its outcome is unknown to
     * the client.
     *
     * @param client a client of this store
     * @param nth which transaction; 1 is the next one that is sent
     */
    public void dropRequest(Coordination client, int nth) {
        store.locked(after -> local(client).link().addDrop(ClientLink.Drop.BEFORE_COMMIT, nth));
    }

    /**
     * Loses the answer to one of the client's next transactions: it is applied, and its outcome is unknown to the
     * client.
     *
     * @param client a client of this store
     * @param nth which transaction; 1 is the next one that is sent
     */
    public void dropReply(Coordination client, int nth) {
        store.locked(after -> local(client).link().addDrop(ClientLink.Drop.AFTER_COMMIT, nth));
    }

    /**
     * Loses the request of the client's next transaction, see {@link #dropRequest}.
     *
     * @param client a client of this store
     */
    public void dropNextRequest(Coordination client) {
        dropRequest(client, 1);
    }

    /**
     * Loses the answer to the client's next transaction, see {@link #dropReply}.
     *
     * @param client a client of this store
     */
    public void dropNextReply(Coordination client) {
        dropReply(client, 1);
    }

    /**
     * Delays the request of one of the client's next transactions until {@link #deliverDelayed}: its outcome is
     * unknown to the client, which may meanwhile have done other things.
     *
     * @param client a client of this store
     * @param nth which transaction; 1 is the next one that is sent
     */
    public void delayRequest(Coordination client, int nth) {
        store.locked(after -> local(client).link().addDrop(ClientLink.Drop.DELAYED, nth));
    }

    /**
     * Applies what {@link #delayRequest} delayed, as far as its conditions and sessions hold now.
     *
     * @param client a client of this store
     */
    public void deliverDelayed(Coordination client) {
        List<Runnable> requests = new ArrayList<>();
        store.locked(after -> requests.addAll(local(client).link().takeDelayed()));
        requests.forEach(Runnable::run);
    }

    /**
     * Fails the client's next call, of any kind, without effect.
     *
     * @param client a client of this store
     * @param failure what the call fails with
     */
    public void failNext(Coordination client, CoordinationException failure) {
        store.locked(after -> local(client).link().addFailure(failure));
    }

    /**
     * Takes back the faults that wait for transactions and calls of a client.
     *
     * @param client a client of this store
     */
    public void clear(Coordination client) {
        store.locked(after -> local(client).link().clearPlans());
    }

    /**
     * Keeps what the watches of a client should be told, until {@link #releaseDeliveries}; breaking the connection
     * loses it.
     *
     * @param client a client of this store
     */
    public void holdDeliveries(Coordination client) {
        store.locked(after -> local(client).link().holdDeliveries());
    }

    /**
     * Ends {@link #holdDeliveries} and delivers what was kept, in order.
     *
     * @param client a client of this store
     */
    public void releaseDeliveries(Coordination client) {
        store.locked(after -> local(client).releaseDeliveries(after));
    }

    /**
     * Has all watches of a client take a new snapshot, as after a compaction of the store's history.
     *
     * @param client a client of this store
     */
    public void forceResync(Coordination client) {
        store.locked(after -> local(client).resync(after));
    }

    private LocalCoordination local(Coordination client) {
        if (client instanceof LocalCoordination local && local.belongsTo(store)) {
            return local;
        }
        throw new IllegalArgumentException("not a client of this store: client=" + client);
    }
}
