package io.tidemark.log;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** Batches of every kind that the format knows, always the same: as our builder and as Kafka's makes them. */
final class AllKinds {
    private AllKinds() {}

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static long time(int number) {
        // Up and down, so that a time index is not trivial.
        return 1_700_000_000_000L + number * 1000L - (number % 5) * 3500L;
    }

    /** A number of rounds; each has one batch per codec and one of a transaction. */
    static List<UnsafeBuffer> ours(int rounds) {
        return ours(rounds, Compression.values());
    }

    /** The same with some codecs only. */
    static List<UnsafeBuffer> ours(int rounds, Compression... codecs) {
        final List<UnsafeBuffer> batches = new ArrayList<>();
        final BatchBuilder builder = new BatchBuilder(64 * 1024);
        int number = 0;
        for (int round = 0; round < rounds; round++) {
            for (final Compression compression : codecs) {
                builder.compression(compression).reset();
                builder.append(
                        time(number++),
                        bytes("key-" + number),
                        bytes("value-" + "abc".repeat(60)),
                        new RecordHeaders().add("round", bytes("r" + round)).add("none", null));
                builder.append(time(number++), new byte[0], bytes("q".repeat(40)));
                builder.append(time(number++), bytes("tombstone"), null);
                batches.add(built(builder, -1, -1, -1));
            }
            builder.compression(Compression.NONE).transactional(true).reset();
            builder.append(time(number++), null, bytes("in a transaction"));
            batches.add(built(builder, 77, 0, round));
            builder.control(true).reset();
            // Version 0 and type 1, then version 0 and the epoch of the coordinator: a commit.
            builder.append(time(number++), new byte[] {0, 0, 0, 1}, new byte[] {0, 0, 0, 0, 0, 3});
            batches.add(built(builder, 77, 0, -1));
            builder.control(false).transactional(false);
        }
        return batches;
    }

    private static UnsafeBuffer built(BatchBuilder builder, long producer, int producerEpoch, int sequence) {
        final byte[] bytes = new byte[builder.build(producer, (short) producerEpoch, sequence)];
        builder.buffer().getBytes(0, bytes);
        return new UnsafeBuffer(bytes);
    }

    /** The like, made by Kafka; the producer of the transactions goes on with a sequence number. */
    static List<MemoryRecords> kafkas(int rounds, int firstSequence) {
        final List<MemoryRecords> batches = new ArrayList<>();
        int number = 0;
        for (int round = 0; round < rounds; round++) {
            for (final Compression compression : Compression.values()) {
                batches.add(MemoryRecords.withRecords(
                        CompressionTest.kafkaCodec(compression),
                        new SimpleRecord(
                                time(number++),
                                bytes("key-" + number),
                                bytes("value-" + "abc".repeat(60)),
                                new Header[] {
                                    new RecordHeader("round", bytes("r" + round)), new RecordHeader("none", null)
                                }),
                        new SimpleRecord(time(number++), new byte[0], bytes("q".repeat(40))),
                        new SimpleRecord(time(number++), bytes("tombstone"), (byte[]) null)));
            }
            batches.add(MemoryRecords.withTransactionalRecords(
                    org.apache.kafka.common.compress.Compression.NONE,
                    77L,
                    (short) 0,
                    firstSequence + round,
                    new SimpleRecord(time(number++), (byte[]) null, bytes("in a transaction"))));
            batches.add(MemoryRecords.withEndTransactionMarker(
                    time(number++), 77L, (short) 0, new EndTransactionMarker(ControlRecordType.COMMIT, 3)));
        }
        return batches;
    }
}
