package io.tidemark.tools.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Folders are made and removed whole. */
class FoldersTest {
    @TempDir
    Path root = Path.of("");

    @Test
    void shouldRemoveEverything() throws IOException {
        Path folder = root.resolve("a");
        Files.createDirectories(folder.resolve("b/c"));
        Files.writeString(folder.resolve("b/c/file"), "x");
        Files.createSymbolicLink(folder.resolve("link"), Files.createDirectory(root.resolve("other")));

        Folders.delete(folder);

        assertFalse(Files.exists(folder));
        assertTrue(Files.exists(root.resolve("other")));
        Folders.delete(folder);
    }

    @Test
    void shouldSayWhetherItMadeTheFolder() {
        assertTrue(Folders.createEmpty(root.resolve("new/deep")));
        assertFalse(Folders.createEmpty(root.resolve("new/deep")));
    }

    @Test
    void shouldSayWhyAFolderCannotBeMade() throws IOException {
        Path file = Files.writeString(root.resolve("file"), "x");

        CommandFailure e = assertThrows(CommandFailure.class, () -> Folders.create(file.resolve("below")));

        assertEquals(
                "cannot make the folder: folder=" + file.resolve("below")
                        + ", cause=Not a directory; name a place where you may write",
                e.getMessage());
    }
}
