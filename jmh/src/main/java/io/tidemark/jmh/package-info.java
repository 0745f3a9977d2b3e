/**
 * Benchmarks: one class per question.
 */
@NullMarked
package io.tidemark.jmh;

import org.jspecify.annotations.NullMarked;
