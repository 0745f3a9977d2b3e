package io.tidemark.tools;

import io.tidemark.tools.system.Folders;
import io.tidemark.tools.system.Terminal;
import java.io.IOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Turns what a command threw into one line for the user and an exit code. */
final class Errors implements IExecutionExceptionHandler, IParameterExceptionHandler {
    private final Terminal terminal;
    private final BooleanSupplier debug;

    /**
     * Prepares.
     *
     * @param terminal receives the line
     * @param debug whether to show the stack trace too; asked when it is needed
     */
    Errors(Terminal terminal, BooleanSupplier debug) {
        this.terminal = terminal;
        this.debug = debug;
    }

    /** Says what is wrong with the arguments and where to read more. */
    @Override
    public int handleParseException(ParameterException e, String[] args) {
        String command = e.getCommandLine().getCommandSpec().qualifiedName();
        report(command + ": " + e.getMessage() + "; see '" + command + " --help'", e);
        return ExitCode.USAGE;
    }

    /** Says what failed. */
    @Override
    public int handleExecutionException(Exception e, CommandLine line, ParseResult parsed) {
        report(line.getCommandSpec().qualifiedName() + ": " + describe(e), e);
        return ExitCode.SOFTWARE;
    }

    private void report(String text, Exception e) {
        terminal.out().flush();
        terminal.err().println(text);
        if (debug.getAsBoolean()) {
            e.printStackTrace(terminal.err());
        }
    }

    /**
     * The text of a failure, without the wrappers of futures.
     *
     * @param failure what was thrown
     * @return one line, or several where the message brings evidence
     */
    static String describe(Throwable failure) {
        Throwable e = failure;
        while ((e instanceof CompletionException || e instanceof ExecutionException) && e.getCause() != null) {
            e = e.getCause();
        }
        if (e instanceof IOException io) {
            String text = Folders.describe(io);
            return io instanceof java.nio.file.FileSystemException file && file.getFile() != null
                    ? text + ": path=" + file.getFile()
                    : text;
        }
        String message = e.getMessage();
        boolean isOurs = e.getClass().getName().startsWith("io.tidemark.") || e instanceof IllegalArgumentException;
        if (message == null || !isOurs) {
            return "unexpected error: " + e + "; run again with --debug for the stack trace and report it";
        }
        return message;
    }
}
