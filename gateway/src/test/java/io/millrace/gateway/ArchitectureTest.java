package io.millrace.gateway;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaConstructorCall;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.millrace.gateway.gate.Admission;
import io.millrace.gateway.gate.Gate;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.NullMarked;
import reactor.core.scheduler.Schedulers;
import reactor.netty.http.server.HttpServerRequest;

/** The arrows between the rooms, and the few calls that once broke something at others. */
@AnalyzeClasses(packages = "io.millrace", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
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
            .layer("bucket")
            .definedBy("io.millrace.gateway.bucket..")
            .layer("freshness")
            .definedBy("io.millrace.gateway.freshness..")
            .layer("object")
            .definedBy("io.millrace.gateway.object..")
            .layer("listing")
            .definedBy("io.millrace.gateway.listing..")
            .layer("observe")
            .definedBy("io.millrace.gateway.observe..")
            .layer("server")
            .definedBy("io.millrace.gateway.server..")
            .layer("app")
            .definedBy("io.millrace.gateway.app..")
            .whereLayer("error")
            .mayNotAccessAnyLayer()
            .whereLayer("http")
            .mayOnlyAccessLayers("error")
            .whereLayer("gate")
            .mayOnlyAccessLayers("http", "error")
            .whereLayer("bucket")
            .mayOnlyAccessLayers("gate", "http", "error")
            .whereLayer("freshness")
            .mayOnlyAccessLayers("bucket")
            .whereLayer("object")
            .mayOnlyAccessLayers("freshness", "bucket", "gate", "http", "error")
            .whereLayer("listing")
            .mayOnlyAccessLayers("freshness", "bucket", "gate", "http", "error")
            .whereLayer("observe")
            .mayOnlyAccessLayers("http")
            .whereLayer("server")
            .mayOnlyAccessLayers("observe", "gate", "http", "error")
            .whereLayer("app")
            .mayNotBeAccessedByAnyLayer()
            .because("a request flows one way: sockets, target, gate, operation, bucket");

    @ArchTest
    static final ArchRule onlyTheAppKnowsSpring = noClasses()
            .that()
            .resideOutsideOfPackage("io.millrace.gateway.app..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.springframework..")
            .because("the data plane must not pay for the control plane");

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
            .resideOutsideOfPackage("io.millrace.backend.s3..") // it reads no files
            .should()
            .callMethod(Schedulers.class, "fromExecutorService", ExecutorService.class)
            .orShould()
            .callMethod(Schedulers.class, "fromExecutorService", ExecutorService.class, String.class)
            .orShould()
            .callMethod(Schedulers.class, "boundedElastic")
            .orShould()
            .callMethod(ExecutorService.class, "shutdownNow")
            .orShould()
            .callMethod(ExecutorService.class, "submit", Callable.class)
            .because("cancelling interrupts their threads, and an interrupt closes a shared file for every reader");

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
