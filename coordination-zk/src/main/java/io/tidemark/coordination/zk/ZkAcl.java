package io.tidemark.coordination.zk;

import java.util.List;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;

/**
 * Who may do what with our nodes: anyone, or the user of the client alone if it has one. Beside access, these lists
 * keep entries and directories apart on the server, with no race: nothing can be created below an entry, and a
 * directory can be given no data. Immutable.
 */
final class ZkAcl {
    /** Those above the chroot may serve others as well, so they are never kept for one user. */
    private static final List<ACL> ABOVE = directory(Ids.ANYONE_ID_UNSAFE);

    private final List<ACL> entry;
    private final List<ACL> directory;

    /**
     * Makes the lists.
     *
     * @param hasUser whether the client tells ZooKeeper who it is; the nodes belong to that user then
     */
    ZkAcl(boolean hasUser) {
        Id owner = hasUser ? Ids.AUTH_IDS : Ids.ANYONE_ID_UNSAFE;
        this.entry = List.of(new ACL(Perms.READ | Perms.WRITE | Perms.ADMIN, owner));
        this.directory = directory(owner);
    }

    private static List<ACL> directory(Id owner) {
        return List.of(new ACL(Perms.READ | Perms.CREATE | Perms.DELETE | Perms.ADMIN, owner));
    }

    /** {@return the list for nodes that hold an entry: no children} */
    List<ACL> entry() {
        return entry;
    }

    /** {@return the list for the chroot and the directories below it: no data} */
    List<ACL> directory() {
        return directory;
    }

    /** {@return the list for directories above the chroot} */
    List<ACL> above() {
        return ABOVE;
    }
}
