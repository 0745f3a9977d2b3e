package io.tidemark.architecture;

import static com.tngtech.archunit.lang.conditions.ArchConditions.callMethod;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.security.SecureRandom;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What the packages of this module may know and call. There is no list of exceptions: the seams are named in the rules.
 */
@AnalyzeClasses(
        packages = {
            "io.tidemark.broker",
            "io.tidemark.client",
            "io.tidemark.conductor",
            "io.tidemark.controller",
            "io.tidemark.fetch",
            "io.tidemark.metadata",
            "io.tidemark.partition",
            "io.tidemark.pipeline",
            "io.tidemark.transport",
            "io.tidemark.wire"
        },
        importOptions = ImportOption.DoNotIncludeTests.class)
class ReplicationArchitectureTest {
    // A back end is found by the scheme of a URI; its client library is on nobody's class path but its own.
    @ArchTest
    static final ArchRule NO_BACK_END_IS_NAMED = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.tidemark.coordination.zk..",
                    "io.tidemark.coordination.etcd..",
                    "io.tidemark.coordination.local..",
                    "org.apache.zookeeper..",
                    "io.etcd..",
                    "io.tidemark.tools..",
                    "io.tidemark.jmh..");

    // The lane and the decisions go on without knowing which service keeps the records.
    @ArchTest
    static final ArchRule COORDINATION_IS_THE_CONTROL_PLANES_BUSINESS = noClasses()
            .that()
            .resideOutsideOfPackages(
                    "io.tidemark.conductor..", "io.tidemark.metadata..", "io.tidemark.client..", "io.tidemark.broker..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.tidemark.coordination..");

    @ArchTest
    static final ArchRule NETTY_IS_NAMED_BY_THE_TRANSPORT_ONLY = noClasses()
            .that()
            .resideOutsideOfPackage("io.tidemark.transport..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.netty..");

    @ArchTest
    static final ArchRule SOCKETS_ARE_NAMED_BY_THE_TRANSPORT_ONLY = noClasses()
            .that()
            .resideOutsideOfPackage("io.tidemark.transport..")
            .should()
            .dependOnClassesThat()
            .haveNameMatching("java\\.net\\.(Socket|ServerSocket|DatagramSocket)|java\\.nio\\.channels\\..*");

    @ArchTest
    static final ArchRule THE_RING_IS_THE_PIPELINES_BUSINESS = noClasses()
            .that()
            .resideOutsideOfPackage("io.tidemark.pipeline..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("com.lmax.disruptor..");

    @ArchTest
    static final ArchRule JSON_IS_THE_METADATAS_BUSINESS = noClasses()
            .that()
            .resideOutsideOfPackage("io.tidemark.metadata..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("com.fasterxml.jackson..");

    // Clients speak the wire protocol; they must not lean on a broker that happens to live in the same process.
    @ArchTest
    static final ArchRule CLIENTS_KNOW_NO_BROKER = noClasses()
            .that()
            .resideInAPackage("io.tidemark.client..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.tidemark.broker..", "io.tidemark.conductor..", "io.tidemark.fetch..", "io.tidemark.pipeline..");

    @ArchTest
    static final ArchRule NOTHING_BELOW_KNOWS_THE_BROKER = noClasses()
            .that()
            .resideOutsideOfPackage("io.tidemark.broker..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.tidemark.broker..");

    @ArchTest
    static final ArchRule THE_WIRE_KNOWS_NOBODY = noClasses()
            .that()
            .resideInAnyPackage("io.tidemark.wire..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.tidemark.broker..",
                    "io.tidemark.client..",
                    "io.tidemark.conductor..",
                    "io.tidemark.controller..",
                    "io.tidemark.fetch..",
                    "io.tidemark.metadata..",
                    "io.tidemark.partition..",
                    "io.tidemark.pipeline..",
                    "io.tidemark.transport..");

    // Segments, files and checksums are log-storage's own; logs are used by their public face.
    @ArchTest
    static final ArchRule LOGS_ARE_USED_BY_THEIR_PUBLIC_FACE = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.tidemark.log.segment..",
                    "io.tidemark.log.format..",
                    "io.tidemark.log.recovery..",
                    "io.tidemark.log.retention..");

    @ArchTest
    static final ArchRule CLOCKS_THREADS_AND_CHANCE_ARE_PASSED_IN = noClasses()
            .that()
            .doNotHaveFullyQualifiedName("io.tidemark.broker.SystemSeams")
            .should(callMethod(System.class, "nanoTime"))
            .orShould(callMethod(System.class, "currentTimeMillis"))
            .orShould(callMethod(Math.class, "random"))
            .orShould(callMethod(UUID.class, "randomUUID"))
            .orShould(callMethod(ThreadLocalRandom.class, "current"))
            .orShould()
            .callConstructor(Random.class)
            .orShould()
            .callConstructor(SecureRandom.class)
            .orShould()
            .callConstructor(Thread.class, Runnable.class)
            .orShould()
            .callConstructor(Thread.class, Runnable.class, String.class);

    @ArchTest
    static final ArchRule FILES_ARE_TOUCHED_BY_THE_LOGS_ONLY = noClasses()
            .should()
            .dependOnClassesThat()
            .areAssignableTo(Files.class)
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(FileChannel.class);

    @ArchTest
    static final ArchRule NOBODY_SLEEPS_PRINTS_OR_EXITS = noClasses()
            .should(callMethod(Thread.class, "sleep", long.class))
            .orShould(callMethod(System.class, "exit", int.class))
            .orShould(callMethod(Runtime.class, "halt", int.class))
            .orShould()
            .accessField(System.class, "out")
            .orShould()
            .accessField(System.class, "err");

    // Few lines, from those who know the whole: the agents, the broker and the client.
    @ArchTest
    static final ArchRule DECISIONS_AND_SEAMS_DO_NOT_LOG = noClasses()
            .that()
            .resideInAnyPackage(
                    "io.tidemark.partition..",
                    "io.tidemark.controller..",
                    "io.tidemark.metadata..",
                    "io.tidemark.wire..",
                    "io.tidemark.fetch..",
                    "io.tidemark.transport..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.slf4j..");
}
