/**
 * The seam between the log and the disk: {@code FileSystem} and what it hands out. {@code SystemFileSystem} is the only
 * place of this module that touches {@code java.nio.file.Files}; tests pass in one that fails and forgets. Any thread,
 * unless a type says otherwise.
 */
@NullMarked
package io.tidemark.log.io;

import org.jspecify.annotations.NullMarked;
