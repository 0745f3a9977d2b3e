package io.tidemark.tools;

import io.tidemark.tools.system.CommandFailure;
import io.tidemark.tools.system.Terminal;
import io.tidemark.tools.verify.FolderCheck;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tidemark log verify}: checks everything that can be checked in a folder that nobody uses. */
@Command(
        name = "verify",
        description = {
            "Checks a broker's data folder, or a partition folder, that no process uses: every batch and record, the",
            "order of offsets and epochs, indexes, the history of epochs, checkpoints, ids, and that nothing is left"
                    + " over.",
            "Prints a line per finding: file, position, what is wrong, what to do. Prints nothing when all is well."
        })
final class LogVerifyCommand implements Callable<Integer> {
    private final Terminal terminal;
    private long count;

    @Parameters(paramLabel = "DIR", description = "A broker's data folder or a partition folder.")
    private Path path = Path.of("");

    @Option(
            names = "--allow-gaps",
            description = "Offsets may be missing between batches, as in a log that was copied from a compacted one.")
    private boolean allowGaps;

    /**
     * Prepares the command.
     *
     * @param terminal where it writes
     */
    LogVerifyCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws IOException {
        count = 0;
        new FolderCheck(
                        finding -> {
                            count++;
                            terminal.out().println(finding.toLine());
                        },
                        allowGaps)
                .run(path);
        if (count > 0) {
            throw new CommandFailure(
                    "something is wrong: findings=" + count + ", folder=" + path + "; each line above says what to do");
        }
        return 0;
    }
}
