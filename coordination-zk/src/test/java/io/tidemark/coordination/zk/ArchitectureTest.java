package io.tidemark.coordination.zk;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.nio.file.Files;
import java.util.Random;

/** What this module may know and call. There is no list of exceptions. */
@AnalyzeClasses(packages = "io.tidemark.coordination.zk", importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {
    @ArchTest
    static final ArchRule KNOWS_ONLY_THE_INTERFACE_AND_ZOOKEEPER = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "javax.net.ssl..",
                    "javax.security..",
                    "io.tidemark.coordination",
                    "io.tidemark.coordination.spi",
                    "io.tidemark.coordination.zk",
                    "org.apache.jute..",
                    "org.apache.zookeeper..",
                    "org.jspecify..",
                    "org.slf4j..");

    @ArchTest
    static final ArchRule NO_SERVER =
            noClasses().should().dependOnClassesThat().resideInAPackage("org.apache.zookeeper.server..");

    @ArchTest
    static final ArchRule CLOCKS_AND_THREADS_ARE_PASSED_IN = noClasses()
            .should()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(Math.class, "random")
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
            classes().that().arePublic().and().areTopLevelClasses().should().haveSimpleName("ZkCoordinationProvider");

    private ArchitectureTest() {}
}
