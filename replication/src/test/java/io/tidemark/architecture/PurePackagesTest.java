package io.tidemark.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The packages that decide know no thread, file, socket or clock: the build proves it, without an exception list. */
@AnalyzeClasses(
        packages = {"io.tidemark.partition", "io.tidemark.controller"},
        importOptions = ImportOption.DoNotIncludeTests.class)
class PurePackagesTest {
    @ArchTest
    static final ArchRule DECISIONS_DEPEND_ON_DATA_ONLY = classes()
            .that()
            .resideInAnyPackage("io.tidemark.partition..", "io.tidemark.controller..")
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(
                            "java.lang..",
                            "java.util..",
                            "org.agrona.collections..",
                            "org.jspecify.annotations..",
                            "io.tidemark.partition..",
                            "io.tidemark.controller..")
                    .and(resideOutsideOfPackage("java.util.concurrent..")));

    @ArchTest
    static final ArchRule NO_THREADS_OR_CLOCKS = classes()
            .that()
            .resideInAnyPackage("io.tidemark.partition..", "io.tidemark.controller..")
            .should()
            .onlyDependOnClassesThat(not(belongToAnyOf(Thread.class, System.class, Process.class, Runtime.class)));

    // The partition's rules are below the controller's: a leader works without a controller.
    @ArchTest
    static final ArchRule PARTITION_KNOWS_NO_CONTROLLER = classes()
            .that()
            .resideInAPackage("io.tidemark.partition..")
            .should()
            .onlyDependOnClassesThat(resideOutsideOfPackage("io.tidemark.controller.."));
}
