package io.millrace.gateway;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructorCall;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.millrace.gateway.gate.Admission;
import io.millrace.gateway.gate.Gate;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadPoolExecutor;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import reactor.core.CorePublisher;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.netty.http.server.HttpServerRequest;

/** The arrows between the rooms, and the few calls that once broke something at others. */
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
    static final ArchRule modulesPointOneWay = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("config")
            .definedBy("io.millrace.config..")
            .layer("spi")
            .definedBy("io.millrace.backend.spi..")
            .layer("file")
            .definedBy("io.millrace.backend.file..")
            .layer("s3")
            .definedBy("io.millrace.backend.s3..")
            .layer("auth")
            .definedBy("io.millrace.auth..")
            .layer("cache")
            .definedBy("io.millrace.cache..")
            .layer("gateway")
            .definedBy("io.millrace.gateway..")
            .whereLayer("config")
            .mayNotAccessAnyLayer()
            .whereLayer("spi")
            .mayNotAccessAnyLayer()
            .whereLayer("file")
            .mayOnlyAccessLayers("spi", "config")
            .whereLayer("s3")
            .mayOnlyAccessLayers("spi", "config")
            .whereLayer("auth")
            .mayOnlyAccessLayers("spi", "config")
            .whereLayer("cache")
            .mayOnlyAccessLayers("spi", "config")
            .whereLayer("gateway")
            .mayNotBeAccessedByAnyLayer()
            .because("every later feature adds a room and moves no wall");

    @ArchTest
    static final ArchRule roomsOfTheGatewayPointOneWay = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("error")
            .definedBy("io.millrace.gateway.error..")
            .layer("http")
            .definedBy("io.millrace.gateway.http..")
            .layer("gate")
            .definedBy("io.millrace.gateway.gate..")
            .layer("saving")
            .definedBy("io.millrace.gateway.saving..")
            .layer("bucket")
            .definedBy("io.millrace.gateway.bucket..")
            .layer("freshness")
            .definedBy("io.millrace.gateway.freshness..")
            .layer("object")
            .definedBy("io.millrace.gateway.object..")
            .layer("listing")
            .definedBy("io.millrace.gateway.listing..")
            .layer("write")
            .definedBy("io.millrace.gateway.write..")
            .layer("multipart")
            .definedBy("io.millrace.gateway.multipart..")
            .layer("cors")
            .definedBy("io.millrace.gateway.cors..")
            .layer("post")
            .definedBy("io.millrace.gateway.post..")
            .layer("configuration")
            .definedBy("io.millrace.gateway.configuration..")
            .layer("files")
            .definedBy("io.millrace.gateway.files..")
            .layer("fetch")
            .definedBy("io.millrace.gateway.fetch..")
            .layer("job")
            .definedBy("io.millrace.gateway.job..")
            .layer("control")
            .definedBy("io.millrace.gateway.control..")
            .layer("observe")
            .definedBy("io.millrace.gateway.observe..")
            .layer("server")
            .definedBy("io.millrace.gateway.server..")
            .layer("cli")
            .definedBy("io.millrace.gateway.cli..")
            .layer("launch")
            .definedBy("io.millrace.gateway.launch..")
            .layer("app")
            .definedBy("io.millrace.gateway.app..")
            .whereLayer("error")
            .mayNotAccessAnyLayer()
            .whereLayer("http")
            .mayOnlyAccessLayers("error")
            .whereLayer("gate")
            .mayOnlyAccessLayers("http", "error")
            .whereLayer("saving")
            .mayNotAccessAnyLayer()
            .whereLayer("bucket")
            .mayOnlyAccessLayers("saving", "gate", "http", "error")
            .whereLayer("freshness")
            .mayOnlyAccessLayers("bucket", "error")
            .whereLayer("object")
            .mayOnlyAccessLayers("freshness", "bucket", "gate", "http", "error")
            .whereLayer("listing")
            .mayOnlyAccessLayers("freshness", "bucket", "gate", "http", "error")
            .whereLayer("write")
            .mayOnlyAccessLayers("freshness", "bucket", "gate", "http", "error")
            .whereLayer("multipart")
            .mayOnlyAccessLayers("write", "freshness", "bucket", "gate", "http", "error")
            .whereLayer("cors")
            .mayOnlyAccessLayers("bucket", "gate", "http", "error")
            .whereLayer("post")
            .mayOnlyAccessLayers("write", "freshness", "bucket", "gate", "http", "error")
            .whereLayer("configuration")
            .mayOnlyAccessLayers("freshness", "bucket", "gate", "http", "error")
            .whereLayer("files")
            .mayNotAccessAnyLayer()
            .whereLayer("fetch")
            .mayNotAccessAnyLayer()
            .whereLayer("job")
            .mayOnlyAccessLayers("fetch", "write", "freshness", "bucket", "error", "files")
            .whereLayer("control")
            .mayOnlyAccessLayers("job", "freshness", "bucket", "observe", "http", "error")
            .whereLayer("observe")
            .mayOnlyAccessLayers("saving", "http")
            .whereLayer("server")
            .mayOnlyAccessLayers("observe", "cors", "gate", "http", "error")
            .whereLayer("cli")
            .mayNotAccessAnyLayer()
            .whereLayer("launch")
            .mayNotAccessAnyLayer()
            .whereLayer("app")
            .mayNotBeAccessedByAnyLayer()
            .because("a request flows one way: sockets, target, gate, operation, bucket");

    @ArchTest
    static final ArchRule packagesHaveNoCycles = slices().matching("io.millrace.(**)")
            .should()
            .beFreeOfCycles()
            .because("what depends on each other cannot be read, tested or replaced apart");

    @ArchTest
    static final ArchRule onlyAppAndControlKnowSpring = noClasses()
            .that()
            .resideOutsideOfPackages("io.millrace.gateway.app..", "io.millrace.gateway.control..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.springframework..")
            .because("the data plane must not pay for the control plane");

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
            .because(
                    "what a command loads is most of what it costs: each of these takes longer than all the rest of it");

    @ArchTest
    static final ArchRule onlyTheServerKnowsReactorNettysServer = noClasses()
            .that()
            .resideOutsideOfPackages("io.millrace.gateway.server..", "io.millrace.gateway.app..")
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
    static final ArchRule onlyTheGateAdmits = noClasses()
            .that()
            .areNotAssignableTo(Gate.class)
            .should()
            .callConstructorWhere(new DescribedPredicate<>("it makes an Admission") {
                @Override
                public boolean test(JavaConstructorCall call) {
                    return call.getTargetOwner().isEquivalentTo(Admission.class);
                }
            })
            .because("a handler must not be reachable around the gate");

    @ArchTest
    static final ArchRule readsAreNeverInterrupted = noClasses()
            .that()
            .resideOutsideOfPackages("io.millrace.backend.s3..", "io.millrace.backend.testkit..") // they read no files
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
    void whatInterruptsReadsIsFound() {
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
