/**
 * The files of a log: segments, their mappings, offset indexes and the preallocation ahead of the writer. Start at
 * {@code Segment}. A segment is stored into by the log's owner thread only and read by any thread.
 */
@NullMarked
package io.tidemark.log.segment;

import org.jspecify.annotations.NullMarked;
