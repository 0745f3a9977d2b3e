package io.tidemark.coordination;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.SimpleFormatter;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Reads all that is logged in this process at the finest level, by SLF4J and by the JDK, instead of the usual
 * appenders, and looks for secrets in it. For tests of any back end; they must bring logback.
 */
public final class SecretLeaks implements AutoCloseable {
    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    private final List<String> secrets;
    private final ConcurrentLinkedQueue<String> leaks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger lines = new AtomicInteger();
    private final List<Appender<ILoggingEvent>> usual = new ArrayList<>();
    private final List<Logger> levelled = new ArrayList<>();
    private final List<Level> levels = new ArrayList<>();
    private final java.util.logging.Logger platformRoot = java.util.logging.Logger.getLogger("");
    private final java.util.logging.Level platformLevel = platformRoot.getLevel();
    private final List<Handler> platformUsual = List.of(platformRoot.getHandlers());
    private final Handler platformReader = new PlatformReader();

    private SecretLeaks(List<String> secrets) {
        this.secrets = secrets;
    }

    /** Begins to read along, until it is closed. */
    public static SecretLeaks watch(String... secrets) {
        SecretLeaks reader = new SecretLeaks(List.of(secrets));
        reader.begin();
        return reader;
    }

    private void begin() {
        for (Iterator<Appender<ILoggingEvent>> each = root.iteratorForAppenders(); each.hasNext(); ) {
            usual.add(each.next());
        }
        usual.forEach(root::detachAppender);
        AppenderBase<ILoggingEvent> reader = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                lines.incrementAndGet();
                check(event.getLoggerName() + " " + event.getFormattedMessage() + " " + event.getMDCPropertyMap());
                IThrowableProxy thrown = event.getThrowableProxy();
                if (thrown != null) {
                    check(ThrowableProxyUtil.asString(thrown));
                }
            }
        };
        reader.setContext(root.getLoggerContext());
        reader.start();
        for (Logger logger : root.getLoggerContext().getLoggerList()) {
            if (logger.getLevel() != null) {
                levelled.add(logger);
                levels.add(logger.getLevel());
                logger.setLevel(logger == root ? Level.TRACE : null);
            }
        }
        root.addAppender(reader);
        platformUsual.forEach(platformRoot::removeHandler);
        platformReader.setLevel(java.util.logging.Level.ALL);
        platformRoot.addHandler(platformReader);
        platformRoot.setLevel(java.util.logging.Level.ALL);
    }

    /** Reads what libraries log by the JDK itself, as gRPC does. */
    private final class PlatformReader extends Handler {
        @Override
        public void publish(LogRecord line) {
            lines.incrementAndGet();
            SecretLeaks.this.check(line.getLoggerName() + " " + new SimpleFormatter().formatMessage(line));
            SecretLeaks.this.check(line.getThrown());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    /** Looks into a failure and its causes. */
    public void check(@Nullable Throwable failure) {
        if (failure != null) {
            StringWriter text = new StringWriter();
            failure.printStackTrace(new PrintWriter(text, true));
            check(text.toString());
        }
    }

    private void check(String text) {
        for (String secret : secrets) {
            if (text.contains(secret)) {
                leaks.add(text);
            }
        }
    }

    /** How many lines were read. */
    public int lines() {
        return lines.get();
    }

    /** Fails if a secret was seen. */
    public void assertNone() {
        assertEquals(List.of(), List.copyOf(leaks), "secrets were shown");
    }

    @Override
    public void close() {
        platformRoot.removeHandler(platformReader);
        platformUsual.forEach(platformRoot::addHandler);
        platformRoot.setLevel(platformLevel);
        root.detachAndStopAllAppenders();
        usual.forEach(root::addAppender);
        for (int i = 0; i < levelled.size(); i++) {
            levelled.get(i).setLevel(levels.get(i));
        }
    }
}
