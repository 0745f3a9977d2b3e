package io.tidemark.log;

import java.util.function.LongSupplier;

/**
 * How a log that is opened will be used.
 *
 * @param retentionLimit what lies at or above it may not be deleted; negative when nothing may
 * @param isShared whether any thread may append
 */
record LogUse(LongSupplier retentionLimit, boolean isShared) {}
