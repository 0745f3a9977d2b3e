package io.tidemark.coordination.zk;

import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/**
 * What came back for one request.
 *
 * @param code the verdict
 * @param revision the transaction of a write; for a read, the last one that the server had applied; 0 if no server
 * answered
 * @param value the result; absent unless the code is OK, and where there is nothing to say
 * @param <T> the type of the result
 */
record Reply<T>(Code code, long revision, @Nullable T value) {
    /**
     * Tells whether a server answered. If not, the request may or may not have reached one.
     *
     * @return true if the verdict is a server's, and final
     */
    boolean isAnswered() {
        return isFromQuorum() || code == Code.SESSIONCLOSEDREQUIRESASLAUTH;
    }

    /**
     * Tells whether the verdict came through the ensemble, and not from a server that did not even let the client in.
     *
     * @return true if it has a revision
     */
    boolean isFromQuorum() {
        return revision > 0;
    }

    /**
     * Tells whether the request succeeded.
     *
     * @return true if so
     */
    boolean isOk() {
        return code == Code.OK;
    }
}
