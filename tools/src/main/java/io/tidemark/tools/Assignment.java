package io.tidemark.tools;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The brokers of partitions as they stand in an option: partitions separated by commas, the brokers of each by colons.
 * Immutable.
 *
 * @param brokers ids of brokers by partition
 */
record Assignment(List<List<Integer>> brokers) {
    /**
     * Copies the lists.
     *
     * @param brokers ids of brokers by partition
     */
    Assignment {
        brokers = brokers.stream().map(List::copyOf).toList();
    }

    /** Reads the text of the option. */
    static final class Converter implements ITypeConverter<Assignment> {
        /** Called by the command line. */
        Converter() {}

        @Override
        public Assignment convert(String text) {
            List<List<Integer>> partitions = new ArrayList<>();
            for (String partition : text.split(",", -1)) {
                List<Integer> brokers = new ArrayList<>();
                for (String broker : partition.split(":", -1)) {
                    try {
                        brokers.add(Integer.parseInt(broker.strip()));
                    } catch (NumberFormatException notANumber) {
                        throw new TypeConversionException("'" + text
                                + "' is no assignment: name the brokers of each partition, such as 1:2,2:3,3:1");
                    }
                }
                partitions.add(brokers);
            }
            return new Assignment(partitions);
        }
    }
}
