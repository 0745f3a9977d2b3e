package io.tidemark.client;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * A topic to be created. Immutable; made by {@link #builder}. Numbers that are left open are chosen by the cluster: 3
 * partitions, 3 replicas (1 while a single broker is running), the brokers' setting of {@code min.isr}.
 */
public final class NewTopic {
    /** Rule by which the controller chooses brokers. */
    public enum Placement {
        /**
         * Leaders go round over the running brokers from a random start, followers stand at a distance that grows with
         * every round, and in as many racks as possible. The load of a broker that dies goes to all others.
         */
        SPREAD,
        /**
         * Brokers sorted by id; replica j of partition i stands on broker (i + j) mod n. Easy to predict, but the load
         * of a broker that dies goes to its neighbour.
         */
        SEQUENTIAL
    }

    private final Builder values;

    private NewTopic(Builder values) {
        this.values = values;
    }

    /**
     * Begins a topic.
     *
     * @param name of the topic: 1 to 249 letters, digits, '.', '_' or '-'
     * @return a builder with everything left open
     */
    public static Builder builder(String name) {
        return new Builder(name);
    }

    /**
     * The name.
     *
     * @return as it was given
     */
    public String name() {
        return values.name;
    }

    /**
     * The number of partitions.
     *
     * @return 1 or more; empty if it is left open
     */
    public OptionalInt partitions() {
        return values.partitions;
    }

    /**
     * The copies of each partition.
     *
     * @return 1 or more; empty if it is left open
     */
    public OptionalInt replicationFactor() {
        return values.replicationFactor;
    }

    /**
     * In-sync replicas without which acks ALL are refused.
     *
     * @return 1 or more; empty if it is left open
     */
    public OptionalInt minIsr() {
        return values.minIsr;
    }

    /**
     * The rule by which brokers are chosen.
     *
     * @return {@link Placement#SPREAD} unless set
     */
    public Placement placement() {
        return values.placement;
    }

    /**
     * The brokers of each partition.
     *
     * @return by partition, the preferred leader first; empty if the controller chooses
     */
    public List<List<Integer>> assignment() {
        return values.assignment;
    }

    /**
     * What the topic keeps differently from the brokers' defaults.
     *
     * @return texts by name, a copy
     */
    public Map<String, String> settings() {
        return Map.copyOf(values.settings);
    }

    /**
     * Whether a topic of this name that exists is as good.
     *
     * @return false unless set
     */
    public boolean ifNotExists() {
        return values.ifNotExists;
    }

    /** Collects the values. Not thread-safe. */
    public static final class Builder {
        private final String name;
        private OptionalInt partitions = OptionalInt.empty();
        private OptionalInt replicationFactor = OptionalInt.empty();
        private OptionalInt minIsr = OptionalInt.empty();
        private Optional<Placement> chosenPlacement = Optional.empty();
        private Placement placement = Placement.SPREAD;
        private List<List<Integer>> assignment = List.of();
        private boolean ifNotExists;
        private final Map<String, String> settings = new TreeMap<>();

        private Builder(String name) {
            this.name = Objects.requireNonNull(name, "name");
        }

        private Builder(Builder from) {
            name = from.name;
            partitions = from.partitions;
            replicationFactor = from.replicationFactor;
            minIsr = from.minIsr;
            placement = from.placement;
            assignment = from.assignment;
            ifNotExists = from.ifNotExists;
            settings.putAll(from.settings);
        }

        /**
         * Sets the number of partitions.
         *
         * @param count 1 to 10 000
         * @return this
         */
        public Builder partitions(int count) {
            partitions = OptionalInt.of(count);
            return this;
        }

        /**
         * Sets the copies of each partition.
         *
         * @param count 1 or more, at most the number of running brokers
         * @return this
         */
        public Builder replicationFactor(int count) {
            replicationFactor = OptionalInt.of(count);
            return this;
        }

        /**
         * Sets the in-sync replicas without which acks ALL are refused.
         *
         * @param count 1 or more, at most the copies of each partition if these are set
         * @return this
         */
        public Builder minIsr(int count) {
            minIsr = OptionalInt.of(count);
            return this;
        }

        /**
         * Sets the rule by which brokers are chosen.
         *
         * @param rule the rule; not allowed with an assignment
         * @return this
         */
        public Builder placement(Placement rule) {
            chosenPlacement = Optional.of(rule);
            placement = rule;
            return this;
        }

        /**
         * Names the brokers of each partition.
         *
         * @param brokers ids of running brokers by partition, the preferred leader first; as many for each partition
         * @return this
         */
        public Builder assignment(List<List<Integer>> brokers) {
            assignment = brokers.stream().map(List::copyOf).toList();
            return this;
        }

        /**
         * Keeps something differently from the brokers' defaults: {@code retention.ms} or {@code retention.bytes}.
         *
         * @param setting its name
         * @param value a whole number; -1 for no limit
         * @return this
         */
        public Builder setting(String setting, String value) {
            settings.put(setting, value);
            return this;
        }

        /**
         * Makes a topic of this name that exists as good as a new one, whatever it looks like.
         *
         * @return this
         */
        public Builder ifNotExists() {
            ifNotExists = true;
            return this;
        }

        /**
         * Checks the values and makes the topic.
         *
         * @return the topic
         * @throws IllegalArgumentException if a number is below 1, minIsr is above the replication factor, or an
         *     assignment comes with another number of partitions or with a rule; the message says which
         */
        public NewTopic build() {
            requirePositive("partitions", partitions);
            requirePositive("replicationFactor", replicationFactor);
            requirePositive("minIsr", minIsr);
            if (minIsr.isPresent()
                    && replicationFactor.isPresent()
                    && minIsr.getAsInt() > replicationFactor.getAsInt()) {
                throw new IllegalArgumentException("minIsr out of range: topic=" + name + ", minIsr="
                        + minIsr.getAsInt() + ", allowed=1.." + replicationFactor.getAsInt());
            }
            if (!assignment.isEmpty()) {
                if (partitions.isPresent() && partitions.getAsInt() != assignment.size()) {
                    throw new IllegalArgumentException("the assignment has another number of partitions: topic=" + name
                            + ", assigned=" + assignment.size() + ", partitions=" + partitions.getAsInt()
                            + "; leave the number out");
                }
                if (chosenPlacement.isPresent()) {
                    throw new IllegalArgumentException("an assignment needs no rule: topic=" + name + ", placement="
                            + placement + "; leave one of both out");
                }
            }
            return new NewTopic(new Builder(this));
        }

        private void requirePositive(String what, OptionalInt value) {
            if (value.isPresent() && value.getAsInt() < 1) {
                throw new IllegalArgumentException(
                        what + " must be 1 or more: topic=" + name + ", " + what + "=" + value.getAsInt());
            }
        }
    }
}
