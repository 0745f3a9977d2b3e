package io.tidemark.log.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.log.io.FileSystem.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The machine's file system, where it is not what its users expect. */
class SystemFileSystemTest {
    private final FileSystem fileSystem = new SystemFileSystem();

    @TempDir
    Path folder;

    private static ByteBuffer bytes(int... values) {
        final ByteBuffer bytes = ByteBuffer.allocate(values.length);
        for (final int value : values) {
            bytes.put((byte) value);
        }
        return bytes.flip();
    }

    private static byte[] read(FileHandle file, int count) throws IOException {
        final ByteBuffer target = ByteBuffer.allocate(count);
        assertEquals(count, file.read(target, 0));
        return target.array();
    }

    // ST-31: an interrupted caller gets its bytes, stays interrupted, and nobody else's file is closed.
    @Test
    void shouldServeAnInterruptedCaller() throws IOException {
        try (FileHandle file = fileSystem.open(folder.resolve("file"), OpenMode.CREATE)) {
            Thread.currentThread().interrupt();
            file.write(bytes(1, 2, 3), 0);
            assertTrue(Thread.currentThread().isInterrupted());
            assertArrayEquals(new byte[] {1, 2, 3}, read(file, 3));
            assertTrue(Thread.currentThread().isInterrupted());
            file.force();
            file.truncate(2);
            assertEquals(2, file.size());
            final MappedFile mapping = file.map(2, true);
            assertEquals(2, mapping.buffer().getByte(1));
            mapping.release();
            assertTrue(Thread.interrupted());
            assertArrayEquals(new byte[] {1, 2}, read(file, 2));
        }
    }

    // ST-31: interrupts that arrive in the middle of a call of somebody else.
    @Test
    void shouldSurviveInterruptsInTheMiddleOfCalls() throws Exception {
        final byte[] content = new byte[1 << 20];
        for (int i = 0; i < content.length; i++) {
            content[i] = (byte) (i * 31);
        }
        try (FileHandle file = fileSystem.open(folder.resolve("file"), OpenMode.CREATE)) {
            file.write(ByteBuffer.wrap(content), 0);
            final AtomicBoolean isOver = new AtomicBoolean();
            final AtomicReference<Throwable> failure = new AtomicReference<>();
            final Thread victim = new Thread(() -> {
                try {
                    while (!isOver.get()) {
                        assertArrayEquals(content, read(file, content.length));
                        file.write(ByteBuffer.wrap(content, 4096, 8192), 4096);
                        Thread.interrupted();
                    }
                } catch (final Throwable e) {
                    failure.set(e);
                }
            });
            victim.start();
            for (int i = 0; i < 300 && failure.get() == null; i++) {
                victim.interrupt();
                assertArrayEquals(content, read(file, content.length));
            }
            isOver.set(true);
            victim.join();
            assertEquals(null, failure.get());
        }
    }

    // What the caller closed stays closed.
    @Test
    void shouldNotOpenAClosedFileAgain() throws IOException {
        final FileHandle file = fileSystem.open(folder.resolve("file"), OpenMode.CREATE);
        file.close();
        file.close();
        assertThrows(ClosedChannelException.class, () -> file.write(bytes(1), 0));
        assertThrows(ClosedChannelException.class, () -> file.read(ByteBuffer.allocate(1), 0));
    }

    // A file of another content under the same name is not taken for the one that was open.
    @Test
    void shouldNotTakeAnotherFileForTheOneThatWasOpen() throws IOException {
        final Path path = folder.resolve("file");
        try (FileHandle file = fileSystem.open(path, OpenMode.CREATE)) {
            file.write(bytes(1), 0);
            fileSystem.rename(path, folder.resolve("renamed"));
            Files.write(path, new byte[] {9});
            assertArrayEquals(new byte[] {1}, read(file, 1));
            Thread.currentThread().interrupt();
            assertArrayEquals(new byte[] {1}, read(file, 1));
            assertTrue(Thread.interrupted());
        }
    }
}
