package io.millrace.gateway.objects.monitor;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendRemedies;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * An operator acts on what is told of a backend: it must speak against whoever is to blame, and be read once and not
 * per request.
 */
class BackendFailureTrackerTest {
    private static final BucketName TYPO = new BucketName("typo-there");
    private static final BucketName GOOD = new BucketName("good-there");

    private final AtomicLong clock = new AtomicLong();
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final WarningLimiter warnings = WarningLimiter.untimed(logger(), clock::get);
    private final BackendFailureTracker failures = new BackendFailureTracker(
            (backend, bucket) -> Optional.of(bucket.value())
                    .filter(name -> name.endsWith("-there"))
                    .map(name -> name.replace("-there", "")),
            warnings);
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final InMemoryBackend memory = new InMemoryBackend(EnumSet.allOf(Capability.class));
    private final Backend backend = new MeteredBackend("far", memory, registry, failures);

    private Logger logger() {
        Logger logger = new LoggerContext().getLogger("test");
        logger.setLevel(Level.WARN);
        logger.addAppender(log);
        return logger;
    }

    @BeforeEach
    void start() {
        memory.createBucket(GOOD);
        log.start();
    }

    @Test
    void wrongBucketNameSpeaksAgainstTheBucketOnly() {
        list(TYPO);

        assertThat(failures.last("far")).isEmpty();
        assertThat(failures.last("far", GOOD)).isEmpty();
        assertThat(failures.last("far", TYPO).orElseThrow().operation()).isEqualTo("list");
        assertThat(lines()).singleElement().asString().contains("Bucket 'typo' (backend 'far', there 'typo-there')");
    }

    @Test
    void bucketThatOnlyAClientNamedIsNobodysFailure() {
        list(new BucketName("whatever"));

        assertThat(failures.last("far")).isEmpty();
        assertThat(lines()).isEmpty();
    }

    @Test
    void brokenBodyOfAClientIsNobodysFailure() {
        Flux<ByteBuf> pieces = Flux.concat(
                Mono.fromSupplier(() -> Unpooled.copiedBuffer("half", UTF_8)),
                Mono.error(new IllegalStateException("BadDigest")));
        NewObject object =
                new NewObject(new ObjectRef(GOOD, new ObjectKey("k")), HeaderList.EMPTY, WriteCondition.ALWAYS);

        assertThat(backend.put(object, UploadBody.of(8, pieces))
                        .map(written -> "written")
                        .onErrorResume(failure -> Mono.just(String.valueOf(failure.getMessage())))
                        .block())
                .isEqualTo("BadDigest");

        assertThat(failures.last("far")).isEmpty();
        assertThat(failures.last("far", GOOD)).isEmpty();
        assertThat(lines()).isEmpty();
        assertThat(registry.get(MeterName.BACKEND_CALL.wireName())
                        .tag("outcome", MeteredBackend.BODY_BROKEN)
                        .timer()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void failuresNameTheirBackend() {
        BackendException failure = (BackendException) backend.listObjects(request(TYPO))
                .<Throwable>map(page -> new AssertionError())
                .onErrorResume(Mono::just)
                .blockOptional()
                .orElseThrow();

        assertThat(failure.backend()).contains("far");
    }

    @Test
    void repeatedFailuresAreOneWarningAndACount() {
        for (int i = 0; i < 1000; i++) {
            failed("far", Optional.of(GOOD), new BackendException(FailureKind.UNAVAILABLE, "no connection"));
        }
        failed("far", Optional.of(GOOD), new BackendException(FailureKind.CREDENTIALS_REJECTED, "wrong key"));
        assertThat(lines()).hasSize(2);
        assertThat(lines().get(0)).contains("Backend 'far', unavailable", "no connection");
        assertThat(lines().get(1)).contains("Backend 'far', credentials rejected", "wrong key", "502");

        warnings.logPending();
        assertThat(lines()).hasSize(2);

        clock.addAndGet(Duration.ofMinutes(1).toNanos());
        warnings.logPending();
        assertThat(lines()).hasSize(3);
        assertThat(lines().get(2)).contains("Backend 'far', unavailable", "999 more in the last 60 s", "no connection");

        clock.addAndGet(WarningLimiter.QUIET.toNanos());
        warnings.logPending();
        failed("far", Optional.of(GOOD), new BackendException(FailureKind.UNAVAILABLE, "again"));
        assertThat(lines()).hasSize(4);
    }

    @Test
    void loopIsOneWarningThatNamesTheSettingOfItsBackend() {
        BackendRemedies remedies = BackendRemedies.ofReadOnlyServer("url");
        for (int i = 0; i < 1000; i++) {
            failures.failed("far", remedies, Optional.of(GOOD), "open", new BackendException(FailureKind.LOOP, "508"));
        }

        assertThat(lines())
                .singleElement()
                .asString()
                .contains("Backend 'far', loop: 508. Clients are answered 508", "Its url leads back to this Millrace");
        assertThat(failures.last("far")).isPresent();
    }

    @Test
    void outageNamesTheSettingOfItsBackend() {
        BackendException away = new BackendException(FailureKind.UNAVAILABLE, "no connection");

        failed("far", Optional.empty(), away);
        failures.failed("near", BackendRemedies.ofReadOnlyServer("url"), Optional.empty(), "open", away);

        String rest = ", or start the server and let this machine connect to it; if it has answered with an error, the"
                + " server's own log says why";
        assertThat(lines().get(0)).endsWith("Correct its endpoint" + rest);
        assertThat(lines().get(1)).endsWith("Correct its url" + rest);
    }

    @Test
    void whatFailsEachMinuteIsWarnedOfMoreAndMoreRarely() {
        for (int minute = 0; minute < 8 * 60; minute++) {
            failed("far", Optional.of(GOOD), new BackendException(FailureKind.NO_SUCH_BUCKET, "no bucket"));
            clock.addAndGet(Duration.ofMinutes(1).toNanos());
            warnings.logPending();
        }

        // The first, then after 1, 2, 4, 8, 16 and 32 minutes, and each hour.
        assertThat(lines()).hasSize(1 + 6 + 6);
    }

    @Test
    void everyBackendIsWarnedOfByItself() {
        failed("far", Optional.empty(), new BackendException(FailureKind.UNAVAILABLE, "no connection"));
        failed("near", Optional.empty(), new BackendException(FailureKind.UNAVAILABLE, "no connection"));

        assertThat(lines()).hasSize(2);
        assertThat(failures.last("near").orElseThrow().message()).isEqualTo("no connection");
    }

    @Test
    void logsStackTracesOfUnexpectedFailuresOnly() {
        failed("far", Optional.empty(), new BackendException(FailureKind.UNAVAILABLE, "away"));
        failed("far", Optional.empty(), new IllegalStateException("a bug"));

        assertThat(log.list.get(0).getThrowableProxy()).isNull();
        assertThat(log.list.get(1).getThrowableProxy()).isNotNull();
    }

    private void failed(String name, Optional<BucketName> bucket, Throwable failure) {
        failures.failed(name, BackendRemedies.S3, bucket, "open", failure);
    }

    private void list(BucketName bucket) {
        assertThat(backend.listObjects(request(bucket)).onErrorComplete().block())
                .isNull();
    }

    private static ListRequest request(BucketName bucket) {
        return new ListRequest(bucket, "", "", new ListRequest.PageStart.FirstKey(), 1, false);
    }

    private List<String> lines() {
        return log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }
}
