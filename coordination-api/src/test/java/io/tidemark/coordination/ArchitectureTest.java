package io.tidemark.coordination;

import static com.tngtech.archunit.lang.conditions.ArchConditions.callMethod;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.tidemark.coordination.spi.SystemSeam;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.time.Clock;
import java.time.Instant;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** What this module may know and call. There is no list of exceptions: the seam is a class, named in the rules. */
@AnalyzeClasses(packages = "io.tidemark.coordination", importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {
    @ArchTest
    static final ArchRule INTERFACE_KNOWS_NO_BACK_END = classes()
            .that()
            .resideInAnyPackage("io.tidemark.coordination", "io.tidemark.coordination.spi")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "javax.crypto..",
                    "javax.net.ssl..",
                    "io.tidemark.coordination",
                    "io.tidemark.coordination.spi",
                    "org.jspecify..",
                    "org.slf4j..");

    @ArchTest
    static final ArchRule LOCAL_KNOWS_THE_INTERFACE_ONLY = classes()
            .that()
            .resideInAPackage("io.tidemark.coordination.local")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "io.tidemark.coordination..", "org.jspecify..");

    @ArchTest
    static final ArchRule CLOCKS_THREADS_AND_CHANCE_COME_FROM_THE_SEAM = noClasses()
            .that()
            .doNotHaveFullyQualifiedName(SystemSeam.class.getName())
            .should(callMethod(System.class, "nanoTime"))
            .orShould(callMethod(System.class, "currentTimeMillis"))
            .orShould(callMethod(Math.class, "random"))
            .orShould(callMethod(UUID.class, "randomUUID"))
            .orShould(callMethod(CompletableFuture.class, "delayedExecutor", long.class, TimeUnit.class))
            .orShould()
            .callConstructor(Random.class)
            .orShould()
            .callConstructor(Thread.class, Runnable.class)
            .orShould()
            .callConstructor(Thread.class, Runnable.class, String.class);

    // Case 30: a jump of the wall clock has no effect on those who never look at it.
    @ArchTest
    static final ArchRule NOBODY_LOOKS_AT_THE_WALL_CLOCK = noClasses()
            .should(callMethod(System.class, "currentTimeMillis"))
            .orShould(callMethod(Instant.class, "now"))
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(Clock.class);

    @ArchTest
    static final ArchRule FILES_ARE_TOUCHED_IN_THE_SEAM = noClasses()
            .that()
            .doNotHaveFullyQualifiedName(SystemSeam.class.getName())
            .and()
            .haveNameNotMatching("io\\.tidemark\\.coordination\\.local\\.DiskFolder.*")
            .should()
            .dependOnClassesThat()
            .areAssignableTo(Files.class)
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(FileChannel.class);

    @ArchTest
    static final ArchRule NOBODY_SLEEPS_OR_EXITS = noClasses()
            .should(callMethod(Thread.class, "sleep", long.class))
            .orShould(callMethod(System.class, "exit", int.class))
            .orShould()
            .accessField(System.class, "out")
            .orShould()
            .accessField(System.class, "err");

    private ArchitectureTest() {}
}
