/**
 * Replication traffic and reads. Leader side: {@link io.tidemark.fetch.FetchService} answers the fetches of
 * followers and {@link io.tidemark.fetch.ConsumeService} the reads of clients; both park what cannot be answered
 * yet. Follower side: {@link io.tidemark.fetch.FollowerFetcher} keeps one connection per leader and hands what comes
 * to {@link io.tidemark.fetch.ReplicaSink}. Everything is owned by the lane's thread.
 */
@NullMarked
package io.tidemark.fetch;

import org.jspecify.annotations.NullMarked;
