package io.millrace.gateway;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructorCall;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.S3RequestAuthorizer;
import io.millrace.kit.async.DaemonThreads;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.CorePublisher;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.netty.http.server.HttpServerRequest;

/** Rules on dependencies and calls that the modules of the build cannot express. */
@AnalyzeClasses(packages = "io.millrace", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final Set<String> INTERRUPTING_SCHEDULERS = Set.of(
            "fromExecutor",
            "fromExecutorService",
            "boundedElastic",
            "newBoundedElastic",
            "newParallel",
            "newSingle",
            "single");
    private static final Set<String> INTERRUPTING_TASKS = Set.of("submit", "invokeAll", "invokeAny", "shutdownNow");

    @ArchTest
    static final ArchRule packagesHaveNoCycles = slices().matching("io.millrace.(**)")
            .should()
            .beFreeOfCycles()
            .because("what depends on each other cannot be read, tested or replaced apart");

    /**
     * Packages that a module exports are decided, not what happened to be public: a new import lists its package first.
     */
    @Test
    void modulesImportExportedPackagesOnly() throws IOException {
        // The load generator's jar names copies of other modules beside it.
        ImportOption noCopies = location -> !location.contains("/target/lib/");
        JavaClasses all = new ClassFileImporter(List.of(new ImportOption.DoNotIncludeTests(), noCopies))
                .importPackages("io.millrace");
        Map<String, String> modules =
                all.stream().collect(Collectors.toMap(JavaClass::getName, ArchitectureTest::moduleOf));
        Set<String> imported = new TreeSet<>();
        for (JavaClass type : all) {
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                JavaClass target = dependency.getTargetClass().getBaseComponentType();
                @Nullable String module = modules.get(target.getName());
                if (module != null && !module.equals(modules.get(type.getName()))) {
                    imported.add(target.getPackageName());
                }
            }
        }

        assertThat(imported).hasSizeGreaterThan(40).containsExactlyElementsOf(exportedPackages());
    }

    static List<String> exportedPackages() throws IOException {
        try (InputStream file = ArchitectureTest.class.getResourceAsStream("exported-packages.txt")) {
            return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .toList();
        }
    }

    /**
     * Returns the folder of the module that a class was compiled in, whether it was read from there or from the
     * module's jar.
     */
    private static String moduleOf(JavaClass type) {
        String uri = type.getSource().orElseThrow().getUri().toString();
        return uri.substring(0, uri.lastIndexOf("/target/"));
    }

    @ArchTest
    static final ArchRule onlyAppAndControlKnowSpring = noClasses()
            .that()
            .resideOutsideOfPackages("io.millrace.gateway.app..", "io.millrace.gateway.control..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.springframework..")
            .because("the data plane must not pay for the control plane");

    @ArchTest
    static final ArchRule threadsAreMadeInOnePlace = noClasses()
            .that()
            .doNotBelongToAnyOf(DaemonThreads.class)
            // Commands have hooks of their end, and tests threads of their own.
            .and()
            .resideOutsideOfPackages(
                    "io.millrace.loadgen..", "io.millrace.gateway.cli..", "io.millrace.backend.testkit..")
            .should()
            .callConstructorWhere(new DescribedPredicate<JavaConstructorCall>("makes a thread that does something") {
                @Override
                public boolean test(JavaConstructorCall call) {
                    return call.getTargetOwner().isEquivalentTo(Thread.class)
                            && !call.getTarget().getRawParameterTypes().isEmpty();
                }
            })
            .because("a thread has a name and ends with the process");

    @ArchTest
    static final ArchRule shortCommandsLoadLittle = noClasses()
            .that()
            .resideInAPackage("io.millrace.gateway.cli..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "reactor..",
                    "io.netty..",
                    "org.slf4j..",
                    "software.amazon.awssdk..",
                    "tools.jackson.databind..",
                    "java.net.http..")
            .because("what a command loads is most of what it costs: each of these takes longer than all the rest of"
                    + " it");

    @ArchTest
    static final ArchRule onlyTheServerKnowsReactorNettysServer = noClasses()
            .that()
            .resideOutsideOfPackages(
                    "io.millrace.gateway.s3.server..",
                    "io.millrace.gateway.app..",
                    "io.millrace.gateway.cluster..", // a port of its own, for members
                    "io.millrace.loadgen.origin..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("reactor.netty.http.server..")
            .because("another HTTP server may take its place below our own exchange type");

    @ArchTest
    static final ArchRule thePathIsDecodedOnce = noClasses()
            .should()
            .callMethod(HttpServerRequest.class, "path")
            .orShould()
            .callMethod(HttpServerRequest.class, "fullPath")
            .orShould()
            .callMethod(HttpServerRequest.class, "param", CharSequence.class)
            .because("they decode %2F, and a bad escape in them drops the connection; RequestTarget reads uri()");

    @ArchTest
    static final ArchRule onlyTheGateAuthorizes = noClasses()
            .that()
            .areNotAssignableTo(S3RequestAuthorizer.class)
            .should()
            .callConstructorWhere(new DescribedPredicate<>("it creates an AuthorizedRequest") {
                @Override
                public boolean test(JavaConstructorCall call) {
                    return call.getTargetOwner().isEquivalentTo(AuthorizedRequest.class);
                }
            })
            .because("a handler must not be reachable around the gate");

    @ArchTest
    static final ArchRule onlyOnePackageForwardsAnyRequest = noClasses()
            .that()
            .resideOutsideOfPackages("io.millrace.gateway.s3.configuration..", "io.millrace.backend..")
            .should()
            .accessField(Capability.class, "S3_FORWARD")
            .because("that a backend answers any S3 request is no reason for anything but to forward one: other places"
                    + " ask for the capability that they need");

    @Test
    void findsReadersOfTheForwardingCapability() {
        JavaClasses guilty = new ClassFileImporter().importClasses(ForwardingReader.class);

        assertThat(onlyOnePackageForwardsAnyRequest
                        .evaluate(guilty)
                        .getFailureReport()
                        .getDetails())
                .hasSize(1);
    }

    /** What nine places once did. */
    static final class ForwardingReader {
        static boolean speaksS3(Backend backend) {
            return backend.capabilities().contains(Capability.S3_FORWARD);
        }
    }

    @ArchTest
    static final ArchRule readsAreNeverInterrupted = noClasses()
            .that()
            .resideOutsideOfPackages(
                    "io.millrace.backend.s3..",
                    "io.millrace.backend.azure..",
                    "io.millrace.backend.gcs..",
                    "io.millrace.backend.http..",
                    "io.millrace.backend.testkit..") // they read no files of objects
            .should()
            .callMethodWhere(new DescribedPredicate<>("its thread is interrupted by whoever leaves") {
                @Override
                public boolean test(JavaMethodCall call) {
                    boolean scheduler = call.getTargetOwner().isEquivalentTo(Schedulers.class)
                            && INTERRUPTING_SCHEDULERS.contains(call.getName());
                    boolean service = call.getTargetOwner().isAssignableTo(ExecutorService.class)
                            && INTERRUPTING_TASKS.contains(call.getName());
                    // Schedulers.parallel() is for timers; what is moved there is interrupted as on any other.
                    boolean moved = call.getTargetOwner().isAssignableTo(CorePublisher.class)
                            && call.getName().equals("subscribeOn");
                    return scheduler || service || moved;
                }
            })
            .because("an interrupt closes a shared file for every reader. Reactor asks an Executor whether it is an"
                    + " ExecutorService, so that fromExecutor is no better: use execute, and a sink");

    @Test
    void findsInterruptibleReads() {
        JavaClasses guilty =
                new ClassFileImporter().importClasses(FromExecutor.class, FromSubmit.class, FromSubscribeOn.class);

        assertThat(readsAreNeverInterrupted.evaluate(guilty).getFailureReport().getDetails())
                .hasSize(3);
    }

    /** What the cache once did. */
    static final class FromExecutor {
        static Scheduler of(Executor executor) {
            return Schedulers.fromExecutor(executor);
        }
    }

    static final class FromSubmit {
        static Future<?> of(ThreadPoolExecutor pool, Callable<?> read) {
            return pool.submit(read);
        }
    }

    /** What looks at all blocks of an object once did. */
    static final class FromSubscribeOn {
        static Mono<Integer> of(Mono<Integer> look) {
            return look.subscribeOn(Schedulers.parallel());
        }
    }

    @ArchTest
    static final ArchRule secretsAreComparedInConstantTime = noClasses()
            .that()
            .resideInAPackage("io.millrace.auth..")
            .should()
            .callMethod(Arrays.class, "equals", byte[].class, byte[].class)
            .because("MessageDigest.isEqual takes the same time wherever two signatures differ");

    @ArchTest
    static final ArchRule packagesSayWhetherTheyAreNullMarked =
            classes().that().haveSimpleName("package-info").should().beAnnotatedWith(NullMarked.class);
}
