package io.tidemark.log;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.nio.file.Files;
import java.util.Random;

/** The module's arrows, its pure package and the calls that only the seam may make. There are no exceptions. */
@AnalyzeClasses(packages = "io.tidemark.log", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    static final ArchRule KNOWS_NOBODY = classes()
            .that()
            .resideOutsideOfPackage("io.tidemark.log.codec")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("io.tidemark.log..", "java..", "org.agrona..", "org.jspecify..");

    @ArchTest
    static final ArchRule CODECS_KNOW_THEIR_LIBRARIES = classes()
            .that()
            .resideInAPackage("io.tidemark.log.codec")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "io.tidemark.log",
                    "io.tidemark.log.codec",
                    "io.tidemark.log.format",
                    "java..",
                    "org.agrona..",
                    "org.jspecify..",
                    "org.xerial.snappy",
                    "net.jpountz.lz4",
                    "com.github.luben.zstd");

    @ArchTest
    static final ArchRule FORMAT_IS_PURE = classes()
            .that()
            .resideInAPackage("io.tidemark.log.format")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "io.tidemark.log.format",
                    "java.lang",
                    "java.util",
                    "java.util.zip",
                    "java.nio",
                    "org.agrona",
                    "org.jspecify..");

    @ArchTest
    static final ArchRule SEAM_KNOWS_NOTHING_ABOVE = noClasses()
            .that()
            .resideInAPackage("io.tidemark.log.io")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.tidemark.log", "io.tidemark.log.format", "io.tidemark.log.segment", "io.tidemark.log.recovery");

    @ArchTest
    static final ArchRule SEGMENTS_DO_NOT_KNOW_RECOVERY = noClasses()
            .that()
            .resideInAPackage("io.tidemark.log.segment")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.tidemark.log.recovery");

    @ArchTest
    static final ArchRule ONLY_THE_SEAM_TOUCHES_FILES = noClasses()
            .that()
            .resideOutsideOfPackage("io.tidemark.log.io")
            .should()
            .dependOnClassesThat()
            .areAssignableTo(Files.class)
            .orShould()
            .dependOnClassesThat()
            .resideInAPackage("java.nio.channels");

    @ArchTest
    static final ArchRule NOTHING_UNDETERMINED = noClasses()
            .should()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(Math.class, "random")
            .orShould()
            .callMethod(Thread.class, "sleep", long.class)
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(Random.class)
            .orShould()
            .callConstructor(Thread.class, Runnable.class);

    @ArchTest
    static final ArchRule NO_OUTPUT_NO_EXIT = noClasses()
            .should()
            .accessField(System.class, "out")
            .orShould()
            .accessField(System.class, "err")
            .orShould()
            .callMethod(System.class, "exit", int.class);
}
