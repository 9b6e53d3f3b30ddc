package io.millrace.gateway.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.AccessPolicy;
import io.millrace.auth.AllowRule;
import io.millrace.auth.Principal;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.testkit.InMemoryBackend;
import io.millrace.backend.testkit.LeakGuard;
import io.millrace.cache.BlockCache;
import io.millrace.gateway.TestCache;
import io.millrace.gateway.bucket.AnonymousRights;
import io.millrace.gateway.bucket.BucketPattern;
import io.millrace.gateway.bucket.BucketSettings;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.bucket.FreshnessSettings;
import io.millrace.gateway.freshness.ReadAhead;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;
import tools.jackson.databind.json.JsonMapper;

/** Jobs from their submission to their end, over a backend that counts and a cache on a disk. */
@ExtendWith(LeakGuard.class)
@Timeout(120)
class JobsTest {
    private static final BucketName BUCKET = new BucketName("data");
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Principal TRAINER = who("trainer", "read,list:data/train/*");
    private static final Principal OTHER = who("other", "read,list:data");
    private static final Principal ADMIN = who("admin", "*");

    @TempDir
    Path folder;

    private final InMemoryBackend objects = new InMemoryBackend().createBucket(BUCKET);
    private final Map<String, AtomicInteger> gets = new ConcurrentHashMap<>();
    private volatile Duration pause = Duration.ZERO;
    private BlockCache cache;
    private Jobs jobs;

    @BeforeEach
    void start() throws IOException {
        cache = TestCache.in(folder.resolve("cache"), "256MiB", InstantSource.system());
        jobs = open();
    }

    @AfterEach
    void stop() {
        jobs.close();
        cache.close();
    }

    @Test
    void aPrefetchBringsEachObjectOnceAndFindsItThereTheNextTime() {
        store("train/", 2500, 100);
        store("other/", 10, 100);

        JobStatus first = end(submit(TRAINER, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'prefix': 'train/'}}"));

        assertThat(first.state()).isEqualTo(JobState.DONE);
        assertThat(first.progress()).isEqualTo(new Progress(2500, 250_000, true, 2500, 250_000, 0, 0, 0, 250_000));
        assertThat(gets)
                .hasSize(2500)
                .allSatisfy((key, count) -> assertThat(count).hasValue(1));

        JobStatus second = end(submit(TRAINER, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'prefix': 'train/'}}"));

        assertThat(second.progress().skipped()).isEqualTo(2500);
        assertThat(gets).allSatisfy((key, count) -> assertThat(count).hasValue(1));
    }

    @Test
    void whatAJobDidBeforeItWasStoppedIsNotDoneAgain() throws IOException {
        store("train/", 400, 10);
        pause = Duration.ofMillis(20);
        JobStatus job =
                submit(TRAINER, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'prefix': 'train/'}, 'workers': 4}");
        await(job.id(), status -> status.progress().done() > 50);
        jobs.close();
        int before = gets.size();
        assertThat(before).isLessThan(400);

        pause = Duration.ZERO;
        jobs = open();
        JobStatus ended = end(jobs.get(TRAINER, job.id()));

        assertThat(ended.state()).isEqualTo(JobState.DONE);
        assertThat(ended.progress().ended()).isEqualTo(400);
        // What was under way may have been asked for twice.
        assertThat(gets.values().stream().mapToInt(AtomicInteger::get).sum()).isBetween(400, 404);
    }

    @Test
    void aPausedJobStandsStillUntilItIsResumed() throws InterruptedException {
        store("train/", 400, 10);
        pause = Duration.ofMillis(20);
        JobStatus job =
                submit(TRAINER, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'prefix': 'train/'}, 'workers': 4}");
        await(job.id(), status -> status.progress().done() > 10);
        jobs.pause(TRAINER, job.id()).block(SOON);
        JobStatus paused = await(job.id(), status -> status.state() == JobState.PAUSED);
        Thread.sleep(200);
        assertThat(jobs.get(TRAINER, job.id()).progress()).isEqualTo(paused.progress());

        pause = Duration.ZERO;
        jobs.resume(TRAINER, job.id()).block(SOON);

        JobStatus ended = end(job);
        assertThat(ended.state()).isEqualTo(JobState.DONE);
        assertThat(ended.progress().ended()).isEqualTo(400);
        assertThat(gets.values().stream().mapToInt(AtomicInteger::get).sum()).isEqualTo(400);
    }

    @Test
    void aCancelledJobIsOver() {
        store("train/", 400, 10);
        pause = Duration.ofMillis(20);
        JobStatus job =
                submit(TRAINER, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'prefix': 'train/'}, 'workers': 4}");
        await(job.id(), status -> status.progress().done() > 10);

        jobs.cancel(TRAINER, job.id()).block(SOON);

        assertThat(end(job).state()).isEqualTo(JobState.CANCELLED);
        assertThatThrownBy(() -> jobs.resume(TRAINER, job.id()).block(SOON)).isInstanceOf(JobException.class);
        jobs.delete(TRAINER, job.id()).block(SOON);
        assertThat(jobs.list(ADMIN, Optional.empty(), 10)).isEmpty();
    }

    @Test
    void whatIsNotThereIsCountedAndCanBeTriedAgain() {
        store("train/", 3, 10);
        JobStatus job = end(submit(
                TRAINER, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'template': 'train/{00000..00004}'}}"));

        assertThat(job.state()).isEqualTo(JobState.DONE_WITH_FAILURES);
        assertThat(job.progress().done()).isEqualTo(3);
        List<Failure> failures = jobs.failures(TRAINER, job.id()).block(SOON);
        assertThat(failures).extracting(Failure::key).containsExactlyInAnyOrder("train/00003", "train/00004");
        assertThat(failures).allSatisfy(failure -> assertThat(failure.reason()).contains("NO_SUCH_KEY"));

        store("train/", 5, 10);
        JobStatus again = end(submit(
                TRAINER, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'failuresOf': '%s'}}".formatted(job.id())));
        assertThat(again.state()).isEqualTo(JobState.DONE);
        assertThat(again.progress().done()).isEqualTo(2);
    }

    @Test
    void onlyWhatItsOwnerMayReadIsBrought() {
        store("train/", 2, 10);
        store("secret/", 2, 10);
        assertThatThrownBy(() -> submit(TRAINER, "{'kind': 'prefetch', 'from': {'bucket': 'data'}}"))
                .isInstanceOf(JobException.class)
                .hasMessageContaining("list");
        assertThatThrownBy(() ->
                        submit(TRAINER, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'keys': ['secret/00000']}}"))
                .isInstanceOf(JobException.class);

        JobStatus job = end(
                submit(TRAINER, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'template': 'secret/0000{0..1}'}}"));

        assertThat(job.progress().failed()).isEqualTo(2);
        assertThat(gets).isEmpty();
    }

    @Test
    void oneSeesOnesOwnJobsAndAnAdministratorAll() {
        store("train/", 1, 10);
        JobStatus job = end(submit(TRAINER, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'prefix': 'train/'}}"));

        assertThat(jobs.list(OTHER, Optional.empty(), 10)).isEmpty();
        assertThatThrownBy(() -> jobs.get(OTHER, job.id())).isInstanceOf(JobException.class);
        assertThatThrownBy(() -> jobs.delete(OTHER, job.id()).block(SOON)).isInstanceOf(JobException.class);
        assertThat(jobs.list(ADMIN, Optional.empty(), 10))
                .extracting(JobStatus::id)
                .containsExactly(job.id());
    }

    @Test
    void theSameTokenIsTheSameJob() {
        store("train/", 1, 10);
        String request = "{'kind': 'prefetch', 'clientToken': 't', 'from': {'bucket': 'data', 'prefix': 'train/'}}";
        JobStatus job = submit(TRAINER, request);

        assertThat(submit(TRAINER, request).id()).isEqualTo(job.id());
        assertThat(submit(OTHER, request).id()).isNotEqualTo(job.id());
        assertThatThrownBy(() -> submit(TRAINER, request.replace("train/'", "train/x'")))
                .isInstanceOf(JobException.class)
                .hasMessageContaining("clientToken");
    }

    @Test
    void whatCannotBeDoneIsToldAtOnceOrByTheJob() {
        assertThatThrownBy(() -> submit(ADMIN, "{'kind': 'prefetch', 'from': {'bucket': 'nowhere'}}"))
                .isInstanceOf(InvalidJobException.class);

        JobStatus nothing = end(submit(ADMIN, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'prefix': 'none/'}}"));
        assertThat(nothing.state()).isEqualTo(JobState.FAILED);
        assertThat(nothing.message()).contains("no object");
    }

    @Test
    void aDryRunOnlyCounts() {
        store("train/", 30, 10);

        JobStatus job = end(submit(
                TRAINER,
                "{'kind': 'prefetch', 'dryRun': true, 'from': {'bucket': 'data', 'prefix': 'train/', 'glob': '**1'}}"));

        assertThat(job.state()).isEqualTo(JobState.DONE);
        assertThat(job.progress()).isEqualTo(new Progress(3, 30, true, 0, 0, 0, 0, 0, 0));
        assertThat(gets).isEmpty();
    }

    @Test
    void aLimitOfRequestsIsHeld() {
        store("train/", 60, 10);
        long begin = System.nanoTime();

        end(submit(
                TRAINER,
                "{'kind': 'prefetch', 'requestsPerSecond': 20, 'from': {'bucket': 'data', 'prefix': 'train/'}}"));

        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(1900));
    }

    private Jobs open() throws IOException {
        Buckets buckets = new Buckets(List.of(entry()), Map.of("memory", counting()));
        Jobs opened = Jobs.open(
                folder.resolve("data"),
                new JobSettings(4, 100),
                new AccessPolicy(name -> Set.of()),
                name -> List.of(TRAINER, OTHER, ADMIN).stream()
                        .filter(who -> who.name().equals(name))
                        .findFirst(),
                buckets,
                Optional.of(new ReadAhead(cache, InstantSource.system())),
                InstantSource.system());
        opened.start();
        return opened;
    }

    private static BucketSettings entry() {
        return new BucketSettings(
                BucketPattern.parse(BUCKET.value()),
                "memory",
                Optional.empty(),
                "",
                AnonymousRights.parse("none"),
                BucketSettings.WriteMode.FILL,
                BucketSettings.AccessRules.REFUSE,
                List.of(),
                new FreshnessSettings(
                        FreshnessSettings.Mode.TTL, Duration.ofSeconds(60), Duration.ofSeconds(5), Duration.ZERO));
    }

    /** The backend, which counts what is read of each key, and may take its time. */
    private Backend counting() {
        return (Backend) Proxy.newProxyInstance(
                Backend.class.getClassLoader(), new Class<?>[] {Backend.class}, (proxy, method, arguments) -> {
                    try {
                        Object answer = method.invoke(objects, arguments);
                        if (method.getName().equals("open")) {
                            String key =
                                    ((ReadRequest) arguments[0]).object().key().value();
                            Mono<?> opened = (Mono<?>) answer;
                            return Mono.delay(pause).then(opened.doOnSuccess(content -> count(key, content)));
                        }
                        return answer;
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                });
    }

    private void count(String key, @Nullable Object content) {
        if (content != null) {
            gets.computeIfAbsent(key, k -> new AtomicInteger()).incrementAndGet();
        }
    }

    private void store(String prefix, int count, int bytes) {
        for (int i = 0; i < count; i++) {
            objects.store(
                    new ObjectRef(BUCKET, new ObjectKey("%s%05d".formatted(prefix, i))),
                    new byte[bytes],
                    HeaderList.EMPTY);
        }
    }

    private JobStatus submit(Principal who, String request) {
        JobRequest parsed = JsonMapper.builder().build().readValue(request.replace('\'', '"'), JobRequest.class);
        return Objects.requireNonNull(jobs.submit(who, parsed).block(SOON));
    }

    private JobStatus end(JobStatus job) {
        return await(job.id(), status -> !status.state().isActive());
    }

    private JobStatus await(String id, Predicate<JobStatus> reached) {
        long until = System.nanoTime() + SOON.toNanos();
        while (System.nanoTime() < until) {
            JobStatus status = jobs.get(ADMIN, id);
            if (reached.test(status)) {
                return status;
            }
            Thread.onSpinWait();
        }
        throw new AssertionError("still " + jobs.get(ADMIN, id));
    }

    private static Principal who(String name, String rule) {
        return new Principal(name, List.of(AllowRule.parse(rule)));
    }
}
