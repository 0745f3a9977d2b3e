package io.tidemark.coordination;

import java.util.concurrent.Executor;

/** What a candidate of an election stands with. Immutable. */
final class Ballot {
    private final Coordination coordination;
    private final Session session;
    private final byte[] info;
    private final Key key;
    private final Key termKey;
    private final Executor retryExecutor;

    /**
     * Keeps all.
     *
     * @param coordination where
     * @param session the candidate
     * @param info the value of its key; copied
     * @param key the leader's key, or the directory of the candidates
     * @param termKey the term key
     * @param retryExecutor runs tasks after a pause
     */
    Ballot(Coordination coordination, Session session, byte[] info, Key key, Key termKey, Executor retryExecutor) {
        this.coordination = coordination;
        this.session = session;
        this.info = info.clone();
        this.key = key;
        this.termKey = termKey;
        this.retryExecutor = retryExecutor;
    }

    /**
     * Where the election is held.
     *
     * @return the client
     */
    Coordination coordination() {
        return coordination;
    }

    /**
     * The candidate.
     *
     * @return its session
     */
    Session session() {
        return session;
    }

    /**
     * What others may read of the leader.
     *
     * @return the value of its key; not to be changed
     */
    byte[] info() {
        return info;
    }

    /**
     * What is competed for.
     *
     * @return the leader's key, or the directory of the candidates
     */
    Key key() {
        return key;
    }

    /**
     * Where the last term is kept.
     *
     * @return the term key
     */
    Key termKey() {
        return termKey;
    }

    /**
     * How to try again later.
     *
     * @return runs each task after a pause
     */
    Executor retryExecutor() {
        return retryExecutor;
    }
}
