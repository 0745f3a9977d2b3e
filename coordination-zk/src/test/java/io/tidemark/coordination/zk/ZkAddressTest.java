package io.tidemark.coordination.zk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ZkAddressTest {
    // The form that the documentation names.
    @Test
    void shouldReadServersAndChroot() {
        ZkAddress address = ZkAddress.parse(URI.create("zk://h1:2181,h2:2182/a/b"));
        assertEquals(new ZkAddress("h1:2181,h2:2182", 2, "/a/b"), address);
    }

    // What is left out has ZooKeeper's usual value.
    @Test
    void shouldTakeDefaultsForPortAndChroot() {
        assertEquals(new ZkAddress("h1:2181", 1, ""), ZkAddress.parse(URI.create("zk://h1")));
        assertEquals(new ZkAddress("h1:2181,h2:99", 2, ""), ZkAddress.parse(URI.create("zk://h1,h2:99/")));
        assertEquals(new ZkAddress("[::1]:2181", 1, ""), ZkAddress.parse(URI.create("zk://[::1]")));
    }

    // Anything else is refused at once, not by a connection that never comes.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "zk:h1:2181",
                "zk:///chroot",
                "zk://h1:2181,/chroot",
                "zk://h1:70000",
                "zk://h1:x1",
                "zk://h1/a//b",
                "zk://h1/a/",
                "zk://h1/a?b=c",
                "zk://h1/a#b"
            })
    void shouldRefuseWhatIsNoAddress(String text) {
        assertThrows(IllegalArgumentException.class, () -> ZkAddress.parse(URI.create(text)));
    }

    // Secrets do not belong into an address, and must not come back in a message.
    @Test
    void shouldRefuseCredentialsWithoutRepeatingThem() {
        IllegalArgumentException refused = assertThrows(
                IllegalArgumentException.class, () -> ZkAddress.parse(URI.create("zk://user:secret@h1:2181/a")));
        assertFalse(String.valueOf(refused.getMessage()).contains("secret"), refused.getMessage());
    }
}
