package io.tidemark.coordination;

import static io.tidemark.coordination.ContractCase.bytes;
import static io.tidemark.coordination.ContractCase.conflict;
import static io.tidemark.coordination.ContractCase.createEphemeral;
import static io.tidemark.coordination.ContractCase.createKey;
import static io.tidemark.coordination.ContractCase.delete;
import static io.tidemark.coordination.ContractCase.entry;
import static io.tidemark.coordination.ContractCase.read;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Cases 1 to 7: keys and values. */
interface KeyContract extends ContractCase {
    // Case 1.
    @Test
    default void shouldReadBackWhatWasCreated() {
        Coordination client = openClient();
        Version version = createKey(client, "/a", "value");
        Entry entry = entry(client, "/a");
        assertEquals(new Entry(Key.of("/a"), bytes("value"), version, OptionalLong.empty()), entry);
        assertEquals("value", entry.valueText());
        assertEquals(version.createRevision(), version.modRevision());
    }

    // Case 1: all bytes, not only text.
    @Test
    default void shouldKeepAllBytes() {
        Coordination client = openClient();
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        ContractCase.committed(
                client.commit(Txn.builder().create(Key.of("/bytes"), all).build()));
        assertArrayEquals(all, entry(client, "/bytes").value());
    }

    // Case 1.
    @Test
    default void shouldTellAnEmptyValueFromAnAbsentKey() {
        Coordination client = openClient();
        assertTrue(read(client, "/empty").isEmpty());
        createKey(client, "/empty", "");
        assertEquals(0, entry(client, "/empty").valueSizeBytes());
        assertEquals(List.of("/empty"), paths(list(client, "/")));
    }

    // Case 2.
    @Test
    default void shouldRefuseToCreateTwice() {
        Coordination client = openClient();
        Version version = createKey(client, "/a", "first");
        Txn again = Txn.builder().create(Key.of("/a"), bytes("second")).build();
        assertEquals(new TxnResult.Conflict(0, TxnResult.Kind.EXISTS), conflict(client.commit(again)));
        assertEquals("first", entry(client, "/a").valueText());
        assertEquals(version, entry(client, "/a").version());
    }

    // Case 3.
    @Test
    default void shouldImplyParentsInvisibly() {
        Coordination client = openClient();
        createKey(client, "/a/b/c", "deep");
        assertTrue(read(client, "/a").isEmpty());
        assertTrue(read(client, "/a/b").isEmpty());
        assertEquals(List.of(), paths(list(client, "/")));
        assertEquals(List.of(), paths(list(client, "/a")));
        assertEquals(List.of("/a/b/c"), paths(list(client, "/a/b")));
        assertEquals(List.of(), paths(list(client, "/nothing/here")));
    }

    // Case 3: a parent is implied only as long as it has children.
    @Test
    default void shouldForgetParentsWithTheirLastChild() {
        Coordination client = openClient();
        Version child = createKey(client, "/a/b", "child");
        delete(client, "/a/b", child);
        createKey(client, "/a", "now a value");
        assertEquals("now a value", entry(client, "/a").valueText());
        assertEquals(List.of("/a"), paths(list(client, "/")));
    }

    // Case 4.
    @Test
    default void shouldListDirectChildrenOnlyAndSorted() {
        Coordination client = openClient();
        for (String path : List.of("/a/b/z", "/a/bc", "/a/c", "/a/B", "/a/10", "/a/9", "/ab/x", "/a/d/e/f", "/top")) {
            createKey(client, path, "value of " + path);
        }
        Listing listing = list(client, "/a");
        assertEquals(List.of("/a/10", "/a/9", "/a/B", "/a/bc", "/a/c"), paths(listing));
        assertEquals(
                "value of /a/bc", listing.find(Key.of("/a/bc")).orElseThrow().valueText());
        assertEquals(List.of("/a/b/z"), paths(list(client, "/a/b")));
        assertEquals(List.of("/top"), paths(list(client, "/")));
    }

    // Case 4.
    @Test
    default void shouldListSpecialCharacters() {
        Coordination client = openClient();
        List<String> odd = List.of("/s/ ", "/s/%2F", "/s/*?[a]{b}", "/s/a.b..c", "/s/q'\"\\", "/s/äßø", "/s/日本");
        odd.forEach(path -> createKey(client, path, path));
        assertEquals(odd, paths(list(client, "/s")));
        odd.forEach(path -> assertEquals(path, entry(client, path).valueText()));
    }

    // Case 4: an entry in a listing carries all that a single read does.
    @Test
    default void shouldListOwnersAndVersions() {
        Coordination client = openClient();
        Session session = openSession(client);
        createEphemeral(client, "/l/mine", "m", session);
        createKey(client, "/l/stays", "s");
        Listing listing = list(client, "/l");
        assertEquals(List.of(entry(client, "/l/mine"), entry(client, "/l/stays")), listing.entries());
        assertTrue(listing.entries().get(0).isOwnedBy(session));
        assertTrue(listing.revision() >= entry(client, "/l/stays").version().modRevision());
    }

    // Case 5.
    @Test
    default void shouldRefuseAValueOnAParentAndAChildOfAValue() {
        Coordination client = openClient();
        TxnResult.Conflict noLeaf = new TxnResult.Conflict(0, TxnResult.Kind.NOT_A_LEAF);
        createKey(client, "/p/c", "child");
        createKey(client, "/v", "value");
        createEphemeral(client, "/e", "ephemeral", openSession(client));
        for (String path : List.of("/p", "/v/x", "/v/x/y", "/e/x")) {
            Txn txn = Txn.builder().create(Key.of(path), bytes("no")).build();
            assertEquals(noLeaf, conflict(client.commit(txn)), path);
            assertTrue(read(client, path).isEmpty(), path);
        }
    }

    // Case 6.
    @Test
    default void shouldTakeTheLargestValueAndKey() {
        Coordination client = openClient();
        byte[] largest = new byte[client.limits().maxValueBytes()];
        largest[largest.length - 1] = 7;
        Key longest = Key.of("/" + "k".repeat(Limits.PORTABLE.maxKeyBytes() - 1));
        ContractCase.committed(
                client.commit(Txn.builder().create(longest, largest).build()));
        assertArrayEquals(largest, entry(client, longest.path()).value());
    }

    // Case 6.
    @Test
    default void shouldRefuseWhatIsTooLargeBeforeSending() {
        Coordination client = openClient();
        Session session = openSession(client);
        Limits limits = Limits.PORTABLE;
        Txn.Builder value = Txn.builder().create(Key.of("/big"), new byte[limits.maxValueBytes() + 1]);
        assertThrows(TooLargeException.class, value::build);
        Txn.Builder name = Txn.builder().create(Key.of("/" + "k".repeat(limits.maxKeyBytes())), bytes("v"));
        assertThrows(TooLargeException.class, name::build);
        Txn.Builder sum = Txn.builder()
                .create(Key.of("/one"), new byte[limits.maxValueBytes()])
                .create(Key.of("/two"), new byte[limits.maxTxnBytes() - limits.maxValueBytes()]);
        assertThrows(TooLargeException.class, sum::build);
        assertTrue(session.isValid(Duration.ZERO));
        createKey(client, "/small", "v");
        assertEquals(List.of("/small"), paths(list(client, "/")));
    }

    // Case 6: nobody may offer less than what Txn.Builder lets through.
    @Test
    default void shouldOfferThePortableLimits() {
        Limits limits = openClient().limits();
        assertTrue(limits.maxValueBytes() >= Limits.PORTABLE.maxValueBytes());
        assertTrue(limits.maxKeyBytes() >= Limits.PORTABLE.maxKeyBytes());
        assertTrue(limits.maxTxnOps() >= Limits.PORTABLE.maxTxnOps());
        assertTrue(limits.maxTxnBytes() >= Limits.PORTABLE.maxTxnBytes());
    }

    // Case 7.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "a",
                "a/b",
                "/a/",
                "//",
                "/a//b",
                "/.",
                "/a/..",
                "/a/./b",
                "/a\u0000",
                "/a\nb",
                "/a\u0085",
                "/\ud83d\ude00",
                "/\uf000",
                "/\uffff"
            })
    default void shouldRefuseBadKeys(String path) {
        assertThrows(IllegalArgumentException.class, () -> Key.of(path));
    }

    // Case 7.
    @Test
    default void shouldRefuseAValueOfTheRoot() {
        Txn.Builder builder = Txn.builder().create(Key.ROOT, bytes("no"));
        assertThrows(IllegalArgumentException.class, builder::build);
        Coordination client = openClient();
        assertFalse(read(client, "/").isPresent());
    }

    private static Listing list(Coordination client, String dir) {
        return Await.value(client.list(Key.of(dir), ReadMode.LINEARIZABLE));
    }

    private static List<String> paths(Listing listing) {
        return listing.entries().stream().map(entry -> entry.key().path()).toList();
    }
}
