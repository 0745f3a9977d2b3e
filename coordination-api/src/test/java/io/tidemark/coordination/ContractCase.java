package io.tidemark.coordination;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Words in which the cases of the contract are written. */
public interface ContractCase {
    /** The fixture of the running test. */
    CoordinationFixture fixture();

    /** The default configuration on the fixture's clock. */
    default CoordinationConfig.Builder config() {
        return CoordinationConfig.builder().nanoClock(fixture()::nowNs);
    }

    /** One more client with the default configuration. */
    default Coordination openClient() {
        return fixture().openClient(config());
    }

    /** A new session of a client. */
    default Session openSession(Coordination client) {
        return Await.value(client.openSession(fixture().ttl()));
    }

    /** Waits for a condition while time passes in the way of the fixture. */
    default void until(Supplier<String> what, BooleanSupplier condition) {
        Await.until(what, condition, fixture()::passTime);
    }

    /** Waits for a result while time passes in the way of the fixture. */
    default <T> T valueInTime(CompletionStage<T> stage) {
        until(() -> "the end of a call", stage.toCompletableFuture()::isDone);
        return Await.value(stage);
    }

    /** Repeats a call until it reaches the service, as after a fault. */
    default <T> T valueOnceReachable(Supplier<CompletionStage<T>> call) {
        while (true) {
            CompletionStage<T> stage = call.get();
            until(() -> "the end of a call", stage.toCompletableFuture()::isDone);
            if (!stage.toCompletableFuture().isCompletedExceptionally()) {
                return Await.value(stage);
            }
            Await.failure(CoordinationException.class, stage);
            fixture().passTime();
        }
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static TxnResult.Committed committed(CompletionStage<TxnResult> stage) {
        return assertInstanceOf(TxnResult.Committed.class, Await.value(stage));
    }

    static TxnResult.Conflict conflict(CompletionStage<TxnResult> stage) {
        return assertInstanceOf(TxnResult.Conflict.class, Await.value(stage));
    }

    /** Creates a key and gives its version. */
    static Version createKey(Coordination client, String path, String value) {
        Txn txn = Txn.builder().create(Key.of(path), bytes(value)).build();
        return committed(client.commit(txn)).versions().get(0);
    }

    /** Creates an ephemeral key and gives its version. */
    static Version createEphemeral(Coordination client, String path, String value, Session session) {
        Txn txn = Txn.builder()
                .createEphemeral(Key.of(path), bytes(value), session)
                .build();
        return committed(client.commit(txn)).versions().get(0);
    }

    /** Updates a key and gives its new version. */
    static Version update(Coordination client, String path, String value, Version expected) {
        Txn txn = Txn.builder().update(Key.of(path), bytes(value), expected).build();
        return committed(client.commit(txn)).versions().get(0);
    }

    /** Deletes a key. */
    static void delete(Coordination client, String path, Version expected) {
        committed(client.commit(Txn.builder().delete(Key.of(path), expected).build()));
    }

    /** Reads a key. */
    static Optional<Entry> read(Coordination client, String path) {
        return Await.value(client.get(Key.of(path), ReadMode.LINEARIZABLE));
    }

    /** Reads a key that must be there. */
    static Entry entry(Coordination client, String path) {
        return read(client, path).orElseThrow(() -> new AssertionError("absent: key=" + path));
    }
}
