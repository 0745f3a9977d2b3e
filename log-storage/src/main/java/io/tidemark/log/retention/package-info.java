/**
 * Which part of a log may be deleted. Pure: facts in, a decision out; nothing here sees a file, a clock or a thread.
 * Begin at {@link io.tidemark.log.retention.RetentionPolicy}. The decision is carried out by the log, on the
 * maintenance thread.
 */
@NullMarked
package io.tidemark.log.retention;

import org.jspecify.annotations.NullMarked;
