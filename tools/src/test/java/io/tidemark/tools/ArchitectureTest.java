package io.tidemark.tools;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.util.Random;

/** What the command line may know and call. There is no list of exceptions. */
@AnalyzeClasses(packages = "io.tidemark.tools", importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {
    private static final String SYSTEM = "io.tidemark.tools.system";
    private static final String VERIFY = "io.tidemark.tools.verify";

    // The second opinion about a folder shares nothing with the broker but the format.
    @ArchTest
    static final ArchRule VERIFY_KNOWS_ONLY_THE_JDK = classes()
            .that()
            .resideInAPackage(VERIFY)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "org.jspecify..", VERIFY);

    @ArchTest
    static final ArchRule SYSTEM_KNOWS_ONLY_THE_JDK = classes()
            .that()
            .resideInAPackage(SYSTEM)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "org.jspecify..", SYSTEM);

    // The inside of the log engine, the lane and the wire are the broker's business; tools use what users use, and the
    // metadata.
    @ArchTest
    static final ArchRule TOOLS_USE_PUBLIC_PACKAGES = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.tidemark.log.*..",
                    "io.tidemark.pipeline..",
                    "io.tidemark.fetch..",
                    "io.tidemark.conductor..",
                    "io.tidemark.transport..",
                    "io.tidemark.wire..",
                    "io.netty..");

    @ArchTest
    static final ArchRule CLOCKS_AND_THREADS_ARE_THE_SYSTEM_S = noClasses()
            .that()
            .resideOutsideOfPackage(SYSTEM)
            .should()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callConstructor(Thread.class, Runnable.class)
            .orShould()
            .callConstructor(Thread.class, Runnable.class, String.class)
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(ProcessBuilder.class)
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(Process.class)
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(Runtime.class);

    @ArchTest
    static final ArchRule NOBODY_SLEEPS_OR_DRAWS_UNSEEDED = noClasses()
            .should()
            .callMethod(Thread.class, "sleep", long.class)
            .orShould()
            .callMethod(Math.class, "random")
            .orShould()
            .callConstructor(Random.class);

    @ArchTest
    static final ArchRule FILES_ARE_THE_SYSTEM_S_AND_VERIFY_S = noClasses()
            .that()
            .resideOutsideOfPackages(SYSTEM, VERIFY)
            .should()
            .dependOnClassesThat()
            .areAssignableTo(Files.class)
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(FileChannel.class);

    @ArchTest
    static final ArchRule ONLY_MAIN_ENDS_THE_PROCESS = noClasses()
            .that()
            .areNotAssignableTo(Tidemark.class)
            .should()
            .callMethod(System.class, "exit", int.class)
            .orShould()
            .accessField(System.class, "out")
            .orShould()
            .accessField(System.class, "err")
            .orShould()
            .accessField(System.class, "in");

    private ArchitectureTest() {}
}
