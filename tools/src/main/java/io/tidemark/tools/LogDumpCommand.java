package io.tidemark.tools;

import io.tidemark.log.InvalidBatchException;
import io.tidemark.log.RecordBatch;
import io.tidemark.tools.system.Terminal;
import io.tidemark.tools.verify.LogDump;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.agrona.concurrent.UnsafeBuffer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tidemark log dump}: shows the batches of log files. */
@Command(
        name = "dump",
        description = {
            "Shows the batches of a segment file, of a partition folder, or of all partitions of a data folder;",
            "or the entries of an index file (.index, .timeindex, .summary).",
            "Checks checksums, counts and the order of offsets; fails at the first damage."
        })
final class LogDumpCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Parameters(paramLabel = "FILE|DIR", description = "A .log or index file, a partition folder, or a data folder.")
    private Path path = Path.of("");

    @Option(names = "--records", description = "Show the records of each batch too.")
    private boolean records;

    @Option(names = "--indexes", description = "Show the indexes and summaries of the segments too.")
    private boolean indexes;

    @Option(names = "--json", description = "Print one JSON object per line.")
    private boolean json;

    /**
     * Prepares the command.
     *
     * @param terminal where it writes
     */
    LogDumpCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws IOException {
        LogDump dump = json ? LogDump.json(terminal.out(), records) : LogDump.text(terminal.out(), records);
        dump.indexes(indexes).openWith(LogDumpCommand::open).print(path);
        return 0;
    }

    private static ByteBuffer open(byte[] batch) {
        try {
            return ByteBuffer.wrap(new RecordBatch()
                    .wrap(new UnsafeBuffer(batch), 0, batch.length)
                    .recordBytes());
        } catch (InvalidBatchException damaged) {
            throw new IllegalArgumentException(damaged.getMessage(), damaged);
        }
    }
}
