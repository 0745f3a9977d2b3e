package io.tidemark.coordination.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EtcdAddressTest {
    private static EtcdAddress.Member member(String host, int port) {
        return new EtcdAddress.Member(host, port);
    }

    // The form that the documentation names.
    @Test
    void shouldReadMembersAndPrefix() {
        EtcdAddress address = EtcdAddress.parse(URI.create("etcd://h1:2379,h2:2380/a/b"));
        assertEquals(new EtcdAddress(List.of(member("h1", 2379), member("h2", 2380)), "/a/b"), address);
        assertEquals("h1:2379,h2:2380", address.servers());
    }

    // What is left out has etcd's usual value.
    @Test
    void shouldTakeDefaultsForPortAndPrefix() {
        assertEquals(new EtcdAddress(List.of(member("h1", 2379)), ""), EtcdAddress.parse(URI.create("etcd://h1")));
        assertEquals(
                new EtcdAddress(List.of(member("h1", 2379), member("h2", 99)), ""),
                EtcdAddress.parse(URI.create("etcd://h1,h2:99/")));
        EtcdAddress numeric = EtcdAddress.parse(URI.create("etcd://[::1]"));
        assertEquals(new EtcdAddress(List.of(member("[::1]", 2379)), ""), numeric);
        assertEquals("::1", numeric.members().get(0).plainHost());
    }

    // Anything else is refused at once, not by a connection that never comes.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "etcd:h1:2379",
                "etcd:///prefix",
                "etcd://h1:2379,/prefix",
                "etcd://h1:70000",
                "etcd://h1:x1",
                "etcd://h1/a//b",
                "etcd://h1/a/",
                "etcd://h1/a?b=c",
                "etcd://h1/a#b"
            })
    void shouldRefuseWhatIsNoAddress(String text) {
        assertThrows(IllegalArgumentException.class, () -> EtcdAddress.parse(URI.create(text)));
    }

    // Secrets do not belong into an address, and must not come back in a message.
    @Test
    void shouldRefuseCredentialsWithoutRepeatingThem() {
        IllegalArgumentException refused = assertThrows(
                IllegalArgumentException.class, () -> EtcdAddress.parse(URI.create("etcd://user:secret@h1:2379/a")));
        assertFalse(String.valueOf(refused.getMessage()).contains("secret"), refused.getMessage());
    }
}
