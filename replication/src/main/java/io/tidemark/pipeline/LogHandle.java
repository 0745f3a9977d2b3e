package io.tidemark.pipeline;

import io.tidemark.log.Log;
import io.tidemark.partition.ProducerTable;

/**
 * An open log with what belongs to it, handed to the lane, which is the log's only writer from then on.
 *
 * @param log open and recovered; closed by who opened it, after the lane has stopped
 * @param producers table built from the log
 * @param highWatermarkHint high watermark last noted on disk, or -1
 * @param gauge through which the lane publishes the state of the partition
 */
public record LogHandle(Log log, ProducerTable producers, long highWatermarkHint, PartitionGauge gauge) {}
