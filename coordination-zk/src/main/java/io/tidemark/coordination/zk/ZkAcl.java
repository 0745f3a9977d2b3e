package io.tidemark.coordination.zk;

import java.util.List;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;

/**
 * Who may do what with our nodes. Beside access, these lists keep entries and directories apart on the server, with no
 * race: nothing can be created below an entry, and a directory can be given no data. Constants.
 */
final class ZkAcl {
    /** For nodes that hold an entry: no children. */
    static final List<ACL> ENTRY = List.of(new ACL(Perms.READ | Perms.WRITE | Perms.ADMIN, Ids.ANYONE_ID_UNSAFE));

    /** For nodes that are directories: no data. */
    static final List<ACL> DIRECTORY =
            List.of(new ACL(Perms.READ | Perms.CREATE | Perms.DELETE | Perms.ADMIN, Ids.ANYONE_ID_UNSAFE));

    private ZkAcl() {}
}
