package io.tidemark.client;

import java.util.List;
import java.util.Map;

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
