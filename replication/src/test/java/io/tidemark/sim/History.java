package io.tidemark.sim;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Everything that clients sent and read, and the check of it as a whole: what a user could see, with no look inside.
 * In the manner of the queue checker of Jepsen's Redpanda test (CL-12), in our own words: an offset has one value; each
 * acknowledged record at or below the highest offset read has been read; nothing refused for good is ever read; the
 * records of one producer in one partition stand in the order of their sends; none stands twice.
 */
final class History {
    /** What became of a send. */
    enum Outcome {
        PENDING,
        OK,
        REFUSED,
        UNKNOWN
    }

    /** One record. */
    static final class Sent {
        final long id;
        final int producer;
        final int partition;
        final boolean waitsForAll;
        final boolean idempotent;
        Outcome outcome = Outcome.PENDING;
        long offset = -1;

        Sent(long id, int producer, int partition, boolean waitsForAll, boolean idempotent) {
            this.id = id;
            this.producer = producer;
            this.partition = partition;
            this.waitsForAll = waitsForAll;
            this.idempotent = idempotent;
        }

        @Override
        public String toString() {
            return "record " + id + " of producer " + producer + ", partition=" + partition + ", outcome=" + outcome
                    + ", offset=" + offset;
        }
    }

    private final List<Sent> sent = new ArrayList<>();
    private final Map<Integer, TreeMap<Long, Long>> read = new TreeMap<>();
    private int acks;
    private int pending;

    Sent send(int producer, int partition, boolean waitsForAll, boolean idempotent) {
        Sent record = new Sent(sent.size(), producer, partition, waitsForAll, idempotent);
        sent.add(record);
        pending++;
        return record;
    }

    void end(Sent record, Outcome outcome, long offset) {
        if (record.outcome != Outcome.PENDING) {
            throw new SimViolation("I-18", "a second outcome " + outcome + " of " + record);
        }
        record.outcome = outcome;
        record.offset = offset;
        pending--;
        acks += outcome == Outcome.OK ? 1 : 0;
    }

    int acks() {
        return acks;
    }

    int pending() {
        return pending;
    }

    int size() {
        return sent.size();
    }

    Sent record(long id) {
        if (id < 0 || id >= sent.size()) {
            throw new SimViolation("I-11", "a record that nobody sent was read: id=" + id);
        }
        return sent.get((int) id);
    }

    /** A consumer was given a record. */
    void onRead(int partition, long offset, long id) {
        Long before = read.computeIfAbsent(partition, key -> new TreeMap<>()).putIfAbsent(offset, id);
        if (before != null && before != id) {
            throw new SimViolation(
                    "I-11",
                    "offset " + offset + " of partition " + partition + " was read as " + before + " and as " + id);
        }
        Sent record = record(id);
        if (record.partition != partition) {
            throw new SimViolation("I-11", "read in partition " + partition + ": " + record);
        }
    }

    /** Checks the whole. */
    void check() {
        Map<Long, Long> placeOf = new HashMap<>();
        read.forEach((partition, values) -> {
            Map<Integer, Long> lastOf = new HashMap<>();
            values.forEach((offset, id) -> {
                Sent record = record(id);
                if (record.outcome == Outcome.REFUSED) {
                    throw new SimViolation("I-18", "refused for good, yet read at offset " + offset + ": " + record);
                }
                Long place = placeOf.putIfAbsent(id, offset);
                if (place != null && record.idempotent) {
                    throw new SimViolation("I-19", "stored twice, at " + place + " and " + offset + ": " + record);
                }
                if (record.idempotent) {
                    Long last = lastOf.put(record.producer, id);
                    if (last != null && last > id) {
                        throw new SimViolation("I-19", "stored after the later record " + last + ": " + record);
                    }
                }
            });
        });
        for (Sent record : sent) {
            TreeMap<Long, Long> values = read.get(record.partition);
            if (record.outcome == Outcome.OK && record.waitsForAll && values != null && !values.isEmpty()) {
                Long at = values.get(record.offset);
                if (record.offset >= 0 && record.offset <= values.lastKey() && (at == null || at != record.id)) {
                    throw new SimViolation(
                            "I-03", "acknowledged, but offset " + record.offset + " was read as " + at + ": " + record);
                }
            }
        }
    }

    /** Every acknowledged record of acks ALL was read by somebody: for the end of a run, when all was read. */
    void checkAllRead() {
        for (Sent record : sent) {
            if (record.outcome == Outcome.OK && record.waitsForAll) {
                TreeMap<Long, Long> values = read.get(record.partition);
                Long at = values == null || record.offset < 0 ? null : values.get(record.offset);
                boolean found = record.offset < 0
                        ? values != null && values.containsValue(record.id)
                        : at != null && at == record.id;
                if (!found) {
                    throw new SimViolation("I-03", "acknowledged, but never read: " + record);
                }
            }
        }
    }

    /** The value of a record: its number, then as many bytes as wanted. */
    static byte[] value(long id, int length) {
        ByteBuffer value = ByteBuffer.allocate(Math.max(Long.BYTES, length));
        value.putLong(id);
        while (value.hasRemaining()) {
            value.put((byte) (id + value.position()));
        }
        return value.array();
    }

    static long idOf(byte[] value) {
        return ByteBuffer.wrap(value).getLong();
    }

    static byte[] key(long id) {
        return Long.toString(id).getBytes(StandardCharsets.US_ASCII);
    }
}
