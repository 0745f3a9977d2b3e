package io.tidemark.coordination.zk;

import io.tidemark.coordination.AccessDeniedException;
import io.tidemark.coordination.ConnectionLostException;
import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.SessionExpiredException;
import org.apache.zookeeper.KeeperException.Code;

/** Turns ZooKeeper's verdicts into failures. Pure. */
final class ZkErrors {
    private ZkErrors() {}

    /**
     * A server refused a request; nothing was applied.
     *
     * @param code the verdict
     * @param what what was asked for
     * @param servers whom
     * @return the failure
     */
    static CoordinationException refused(Code code, String what, String servers) {
        String where = "code=" + code + ", call=" + what + ", servers=" + servers;
        return switch (code) {
            case NOAUTH, AUTHFAILED, INVALIDACL, SESSIONCLOSEDREQUIRESASLAUTH ->
                new AccessDeniedException("ZooKeeper denied access: " + where
                        + "; check the credentials and the access list of the node");
            case SESSIONEXPIRED -> new SessionExpiredException("ZooKeeper ended the session: " + where);
            case SESSIONMOVED, THROTTLEDOP ->
                new ConnectionLostException("ZooKeeper did not take a request: " + where + "; try again");
            default -> new CoordinationException("ZooKeeper refused a request: " + where);
        };
    }
}
