/**
 * What makes a folder trustworthy again: opening and recovering a log, the history of leader epochs, checkpoints and
 * the files that say who a folder belongs to and how it was left. Start at {@code LogRecovery}. Not thread-safe unless
 * a type says otherwise.
 */
@NullMarked
package io.tidemark.log.recovery;

import org.jspecify.annotations.NullMarked;
