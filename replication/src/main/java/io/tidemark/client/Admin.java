package io.tidemark.client;

import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Creates and describes topics, describes the cluster. Any thread; each call blocks, at most for the request timeout.
 */
public interface Admin {
    /**
     * Creates a topic with the cluster's default for the least number of in-sync replicas.
     *
     * @param name of the topic
     * @param partitions 1 or more
     * @param replicationFactor 1 or more, at most the number of live brokers
     * @throws TidemarkException if it exists, or is refused; the message says why and what to do
     */
    void createTopic(String name, int partitions, int replicationFactor);

    /**
     * Creates a topic.
     *
     * @param name of the topic
     * @param partitions 1 or more
     * @param replicationFactor 1 or more, at most the number of live brokers
     * @param minIsr in-sync replicas without which acks ALL are refused, 1 to replicationFactor
     * @throws TidemarkException if it exists, or is refused; the message says why and what to do
     */
    void createTopic(String name, int partitions, int replicationFactor, int minIsr);

    /**
     * Creates a topic. Comes back when every broker with a replica has answered that it knows of it.
     *
     * @param topic what to create
     * @return true if it was created; false if one of this name exists and the topic says that this is as good
     * @throws TidemarkException if it exists, or is refused; the message says why and what to do; with the reason
     *     REPLICAS_NOT_READY if the topic is there, but brokers did not answer in time, which the message names
     */
    boolean createTopic(NewTopic topic);

    /**
     * Gives a topic more partitions. Records stay where they are; keys are routed by the new number, so that records of
     * a key may follow in another partition than the earlier ones.
     *
     * @param topic its name
     * @param total number of partitions that it is to have, more than now and at most 10 000
     * @throws UnknownTopicException if there is none of this name
     * @throws TidemarkException if it is refused; the message says why and what to do; with the reason
     *     REPLICAS_NOT_READY if the partitions are there, but brokers did not answer in time, which the message names
     */
    void addPartitions(String topic, int total);

    /**
     * Gives a topic more partitions on brokers that the caller names; else as {@link #addPartitions(String, int)}.
     *
     * @param topic its name
     * @param total number of partitions that it is to have
     * @param assignment brokers of each new partition, the preferred leader first
     * @throws UnknownTopicException if there is none of this name
     * @throws TidemarkException if it is refused; the message says why and what to do
     */
    void addPartitions(String topic, int total, List<List<Integer>> assignment);

    /**
     * Changes the configuration of a topic, without a restart: {@code min.isr} (1 to the replication factor),
     * {@code retention.ms} and {@code retention.bytes} (-1 for no limit).
     *
     * @param topic its name
     * @param changes whole numbers as texts, by the names of settings; an empty text stands for the brokers' default;
     *     what is not named stays
     * @throws UnknownTopicException if there is none of this name
     * @throws TidemarkException if it is refused, or nothing would change; the message says why and what to do
     */
    void alterTopic(String topic, Map<String, String> changes);

    /**
     * Deletes a topic with all its records, for ever. The name is free when this returns. Brokers that are away delete
     * their part when they come back.
     *
     * @param name of the topic
     * @throws UnknownTopicException if there is none of this name
     * @throws TidemarkException if it is refused, as when deletions are switched off; the message says why and what to
     *     do; with the reason REPLICAS_NOT_READY if the topic is deleted, but registered brokers did not answer in
     *     time, which the message names
     */
    void deleteTopic(String name);

    /**
     * Deletes a topic if it still is the one that is meant; else as {@link #deleteTopic(String)}.
     *
     * @param name of the topic
     * @param topicId id of the topic, see {@link TopicDescription#topicId()}
     * @throws UnknownTopicException if there is none of this name and id
     * @throws TidemarkException if it is refused
     */
    void deleteTopic(String name, UUID topicId);

    /**
     * Plans where the replicas of topics go if only some brokers are to hold them, spread over these and their racks as
     * for a new topic. Changes nothing.
     *
     * @param topics the topics
     * @param brokers ids of live brokers that are to hold the replicas
     * @return a move for each partition that is not on these brokers alone
     * @throws UnknownTopicException if there is no topic of a name
     * @throws IllegalArgumentException if a broker is not known, or there are fewer than a topic has replicas
     */
    List<PartitionMove> planReassignment(List<String> topics, List<Integer> brokers);

    /**
     * Begins to move replicas to other brokers, or replaces the target of a move under way. Comes back when the moves
     * are noted in the partitions' records; {@link PartitionDescription#isReassigning} tells how long they last. Each
     * partition is decided by itself.
     *
     * @param moves the partitions, 1 to 10 000
     * @return what became of each, by topic and number
     * @throws TidemarkException if the request as a whole is refused; the message says why and what to do
     */
    List<PartitionOutcome> reassign(List<PartitionMove> moves);

    /**
     * Ends moves that are under way: the replicas are those of before.
     *
     * @param topics the topics; none for all moves in the cluster
     * @return what became of each partition that was being moved, or could not be found
     */
    List<PartitionOutcome> cancelReassignments(List<String> topics);

    /**
     * Has the preferred leaders lead: the first replica of each assignment, where it is in sync and runs.
     *
     * @param topics the topics; none for all of the cluster
     * @return what became of each partition; with no topics named, of those alone that others led
     */
    List<PartitionOutcome> electPreferred(List<String> topics);

    /**
     * Has a live replica lead each partition of a topic that has no leader and no replica that has all that was
     * committed. Committed records that this replica lacks are lost.
     *
     * @param topic its name
     * @return what became of each partition
     */
    List<PartitionOutcome> electUnclean(String topic);

    /**
     * Names of all topics.
     *
     * @return sorted
     */
    List<String> listTopics();

    /**
     * State of a topic, as a broker knows it at this moment.
     *
     * @param name of the topic
     * @return its partitions
     * @throws UnknownTopicException if no broker knows it
     */
    TopicDescription describeTopic(String name);

    /**
     * State of all topics, as one broker knows them at this moment.
     *
     * @return sorted by name
     */
    List<TopicDescription> describeTopics();

    /**
     * The cluster, as a broker knows it at this moment.
     *
     * @return brokers and controller
     */
    ClusterDescription describeCluster();

    /**
     * Counters of a broker, asked from itself.
     *
     * @param brokerId of the broker
     * @return value by name, sorted by name
     * @throws TidemarkException if the broker is not known or does not answer
     */
    Map<String, Long> brokerCounters(int brokerId);
}
