package io.tidemark.coordination.etcd;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.nio.file.Files;
import java.util.Random;
import java.util.UUID;

/** What this module may know and call. There is no list of exceptions. */
@AnalyzeClasses(packages = "io.tidemark.coordination.etcd", importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {
    @ArchTest
    static final ArchRule KNOWS_ONLY_THE_INTERFACE_AND_ETCD = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "javax.net.ssl",
                    "io.tidemark.coordination",
                    "io.tidemark.coordination.spi",
                    "io.tidemark.coordination.etcd",
                    "com.google.protobuf..",
                    "io.etcd.jetcd.api..",
                    "io.grpc..",
                    "io.netty..",
                    "org.jspecify..",
                    "org.slf4j..");

    // A channel is made in one place and asked in another; nobody else sees the network.
    @ArchTest
    static final ArchRule NETTY_STAYS_WHERE_CHANNELS_ARE_MADE = noClasses()
            .that()
            .doNotHaveSimpleName("EtcdNetwork")
            .and()
            .doNotHaveSimpleName("EtcdTls")
            .and()
            .doNotHaveSimpleName("EtcdConnection")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.netty..");

    @ArchTest
    static final ArchRule CLOCKS_THREADS_AND_CHANCE_ARE_PASSED_IN = noClasses()
            .should()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(Math.class, "random")
            .orShould()
            .callMethod(UUID.class, "randomUUID")
            .orShould()
            .callMethod(Thread.class, "sleep", long.class)
            .orShould()
            .callConstructor(Thread.class, Runnable.class)
            .orShould()
            .callConstructor(Thread.class, Runnable.class, String.class)
            .orShould()
            .callConstructor(Random.class)
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(Files.class);

    @ArchTest
    static final ArchRule ONLY_THE_PROVIDER_IS_PUBLIC =
            classes().that().arePublic().and().areTopLevelClasses().should().haveSimpleName("EtcdCoordinationProvider");

    private ArchitectureTest() {}
}
