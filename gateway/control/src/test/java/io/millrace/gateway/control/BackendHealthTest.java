package io.millrace.gateway.control;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendRemedies;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.objects.bucket.BucketSavingsRegistry;
import io.millrace.gateway.objects.bucket.BucketSettings;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.ClientBucketNames;
import io.millrace.gateway.objects.monitor.BackendCallStatistics;
import io.millrace.gateway.objects.monitor.BackendFailureTracker;
import io.millrace.gateway.objects.monitor.MeteredBackend;
import io.millrace.gateway.objects.monitor.WarningLimiter;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.test.scheduler.VirtualTimeScheduler;

/**
 * Tests that backends and buckets are checked only on demand, and that a failure is reported at the part that fails.
 */
class BackendHealthTest {
    private final List<String> requested = new ArrayList<>();
    private final WarningLimiter warnings = WarningLimiter.to(LoggerFactory.getLogger(BackendHealthTest.class));
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final VirtualTimeScheduler time = VirtualTimeScheduler.create();

    private final List<BucketView> read = new ArrayList<>();

    /** The entries of buckets of which only a part is shown. */
    private final List<BucketSettings> partly = new ArrayList<>();

    private BackendRemedies remedies = BackendRemedies.S3;
    private long errors;

    @SuppressWarnings("NullAway.Init") // health() sets it
    private Backend backend;

    @Test
    void backendOfPatternsIsCheckedByListingItsBuckets() {
        assertThat(view(Map.of("", Mono.just(List.of()))).state()).isEqualTo("answers");

        BackendStatus refuses = view(Map.of("", failure(FailureKind.ACCESS_DENIED)));
        assertThat(refuses.state()).isEqualTo("refuses");
        assertThat(refuses.message()).contains("s3:ListAllMyBuckets", "no, because");
        assertThat(refuses.lastFailure()).isEmpty();

        BackendStatus fails = view(Map.of("", failure(FailureKind.UNAVAILABLE)));
        assertThat(fails.state()).isEqualTo("fails");
        assertThat(fails.lastFailure().orElseThrow().operation()).isEqualTo("buckets");
    }

    @Test
    void remedyNamesWhatCannotBeReached() {
        assertThat(view(Map.of("", failure(FailureKind.UNAVAILABLE))).message()).contains("Correct its endpoint");
        assertThat(view(Map.of(
                                "",
                                Mono.error(new BackendException(
                                        FailureKind.CREDENTIALS_UNAVAILABLE, "no token from the metadata server"))))
                        .message())
                .contains("AWS_ENDPOINT_URL_STS")
                .doesNotContain("its endpoint");
    }

    @Test
    void remedyHasTheWordsOfTheTypeOfTheBackend() {
        remedies = BackendRemedies.ofReadOnlyServer("url");

        assertThat(view(Map.of("", failure(FailureKind.UNAVAILABLE))).message()).contains("Correct its url");
        assertThat(view(Map.of("", failure(FailureKind.ACCESS_DENIED))).message())
                .doesNotContain("s3:");
        assertThat(view(Map.of("", failure(FailureKind.LOOP))).message()).contains("Its url leads back");
        assertThat(view(Map.of("", failure(FailureKind.INVALID_REQUEST))).message())
                .contains("Check its url")
                .doesNotContain("region");
        assertThat(view(Map.of("shut-there", failure(FailureKind.ACCESS_DENIED)))
                        .buckets()
                        .get(0)
                        .message())
                .contains("may be readable")
                .doesNotContain("s3:");
    }

    @Test
    void reportsMissingBucketsOfAHealthyBackend() {
        BackendStatus view = view(Map.of(
                "typo-there", failure(FailureKind.NO_SUCH_BUCKET),
                "good-there", good("good-there"),
                "wrong-there", failure(FailureKind.NO_SUCH_BUCKET),
                "shut-there", failure(FailureKind.ACCESS_DENIED)));

        assertThat(view.state()).isEqualTo("answers");
        assertThat(view.message()).isEmpty();
        assertThat(view.lastFailure()).isEmpty();
        assertThat(view.buckets())
                .extracting(BucketHealth::bucket, BucketHealth::backendBucket, BucketHealth::state)
                .containsExactlyInAnyOrder(
                        tuple("typo", "typo-there", "missing"),
                        tuple("good", "good-there", "answers"),
                        tuple("wrong", "wrong-there", "missing"),
                        tuple("shut", "shut-there", "refuses"));
        assertThat(view.buckets())
                .filteredOn(bucket -> bucket.state().equals("missing"))
                .hasSize(2)
                .allSatisfy(bucket -> {
                    assertThat(bucket.message()).contains("correct its name");
                    assertThat(bucket.lastFailure()).isPresent();
                });
    }

    /** The request was never sent: a backend that is down would be said to answer. */
    @Test
    void nameThatNoBucketCanHaveSaysNothingOfTheBackend() {
        Mono<BucketInfo> impossible = Mono.error(
                new BackendException(FailureKind.NO_SUCH_BUCKET, "nothing is called that. Names have small letters")
                        .asUnprocessed());

        BackendStatus down = view(Map.of("wrong-there", impossible, "", failure(FailureKind.UNAVAILABLE)));
        assertThat(down.state()).isEqualTo("fails");
        assertThat(down.lastFailure()).isPresent();
        assertThat(states(down)).containsExactly(tuple("wrong", "missing"));

        BackendStatus up = view(Map.of("wrong-there", impossible, "", Mono.just(List.of())));
        assertThat(up.state()).isEqualTo("answers");
        assertThat(up.buckets().get(0).message())
                .contains("Names have small letters", "Correct its name")
                .doesNotContain("Create it");

        BackendStatus other = view(Map.of("wrong-there", impossible, "good-there", good("good-there")));
        assertThat(other.state()).isEqualTo("answers");
        assertThat(states(other)).containsExactlyInAnyOrder(tuple("wrong", "missing"), tuple("good", "answers"));
        assertThat(requested).containsExactlyInAnyOrder("wrong-there", "good-there");
    }

    /** As an IAM policy with a condition on s3:prefix has it. */
    @Test
    void bucketShownInPartAnswersOnlyIfEachPartIsListed() {
        partly.addAll(List.of(part("one", "a/"), part("two", "b/")));

        BackendStatus listed = view(
                Map.of("part/a/", good("part"), "part/b/", good("part"), "part", failure(FailureKind.ACCESS_DENIED)));
        assertThat(states(listed)).containsExactly(tuple("one", "answers"), tuple("two", "answers"));
        assertThat(requested).containsExactly("part/a/", "part/b/");
        assertThat(listed.buckets())
                .allSatisfy(bucket -> assertThat(bucket.lastFailure()).isEmpty());

        BackendStatus denied = view(Map.of(
                "part/a/",
                good("part"),
                "part/b/",
                failure(FailureKind.ACCESS_DENIED),
                "part",
                failure(FailureKind.ACCESS_DENIED)));
        assertThat(states(denied)).containsExactly(tuple("one", "refuses"), tuple("two", "refuses"));
    }

    /** As of a Hub, where each part may be another repository, and one has a mistyped name. */
    @Test
    void missingPartIsReportedAndIsNoFaultOfTheOthers() {
        partly.addAll(List.of(part("one", "a/"), part("two", "b/")));

        BackendStatus some = view(Map.of("part/a/", failure(FailureKind.NO_SUCH_BUCKET), "part/b/", good("part")));
        assertThat(states(some)).containsExactly(tuple("one", "answers"), tuple("two", "answers"));
        assertThat(some.buckets())
                .allSatisfy(bucket -> assertThat(bucket.message()).contains("no, because", "correct its name"));

        BackendStatus none = view(
                Map.of("part/a/", failure(FailureKind.NO_SUCH_BUCKET), "part/b/", failure(FailureKind.NO_SUCH_BUCKET)));
        assertThat(states(none)).containsExactly(tuple("one", "missing"), tuple("two", "missing"));
    }

    /** No entry has the name of the missing bucket, so the one to correct is named. */
    @Test
    void missingSourceNamesWhatIsDerivedFromIt() {
        partly.addAll(List.of(
                BucketViews.derived("samples", "typo", "*", ""),
                BucketViews.settings("*", "far", Optional.empty(), "")));

        BackendStatus view = view(Map.of("typo", failure(FailureKind.NO_SUCH_BUCKET)));

        assertThat(states(view)).containsExactly(tuple("typo", "missing"));
        assertThat(view.buckets().get(0).message()).contains("It is the 'from' of samples");
    }

    @Test
    void bucketThatAPatternShowsIsCheckedAsAWhole() {
        partly.addAll(List.of(part("one", "a/"), BucketViews.settings("*", "far", Optional.empty(), "")));

        BackendStatus denied = view(Map.of("part/a/", good("part"), "part", failure(FailureKind.ACCESS_DENIED)));

        assertThat(states(denied)).containsExactly(tuple("one", "refuses"));
        assertThat(requested).containsExactly("part");
    }

    @Test
    void rejectedCredentialsFailTheBackendCheckAtOnce() {
        BackendStatus view = view(Map.of(
                "one-there",
                failure(FailureKind.CREDENTIALS_REJECTED),
                "two-there",
                failure(FailureKind.CREDENTIALS_REJECTED)));

        assertThat(view.state()).isEqualTo("rejects");
        assertThat(view.message()).contains("no, because");
        assertThat(view.buckets()).extracting(BucketHealth::state).containsOnly("unknown");
        assertThat(requested).hasSize(1);
    }

    @Test
    void aBackendThatSaysNothingFails() {
        List<BackendStatus> found = new ArrayList<>();
        health(Map.of("", Mono.never())).get().subscribe(found::addAll);
        time.advanceTimeBy(Duration.ofSeconds(6));
        BackendStatus silent = found.get(0);

        assertThat(silent.state()).isEqualTo("fails");
        assertThat(silent.message()).contains("no answer to ListBuckets in 5 s");
    }

    @Test
    void reusesARecentResult() {
        BackendHealthCache health = health(Map.of("one-there", good("one-there"), "two-there", good("two-there")));

        assertThat(requested).isEmpty();
        for (int i = 0; i < 5; i++) {
            assertThat(health.get().block()).hasSize(1);
        }

        assertThat(requested).hasSize(2);
    }

    @Test
    void everyBucketIsCheckedAgainWhenTheResultIsTooOld() {
        BackendHealthCache health = health(Map.of(
                "one-there", good("one-there"),
                "two-there", good("two-there"),
                "typo-there", failure(FailureKind.NO_SUCH_BUCKET)));

        for (int i = 0; i < 3; i++) {
            requested.clear();
            BackendStatus view = health.get().blockOptional().orElseThrow().get(0);

            assertThat(view.buckets())
                    .extracting(BucketHealth::bucket, BucketHealth::state)
                    .containsExactlyInAnyOrder(
                            tuple("one", "answers"), tuple("two", "answers"), tuple("typo", "missing"));
            assertThat(requested).containsExactlyInAnyOrder("one-there", "two-there", "typo-there");
            time.advanceTimeBy(Duration.ofSeconds(31));
        }
    }

    /** An operator who looks at once must not read that a backend answers which clients get 503 for. */
    @Test
    void aFailureSinceTheLastCheckAndARecoveryAreSeenSoon() {
        AtomicBoolean isDown = new AtomicBoolean();
        BackendHealthCache health = health(Map.of(
                "one-there", Mono.defer(() -> isDown.get() ? failure(FailureKind.UNAVAILABLE) : good("one-there"))));
        assertThat(state(health)).isEqualTo("answers");
        time.advanceTimeBy(Duration.ofSeconds(6));
        isDown.set(true);
        assertThat(state(health)).as("nothing tells of it yet").isEqualTo("answers");

        backend.headBucket(new BucketName("one-there")).onErrorComplete().block();
        assertThat(state(health)).isEqualTo("fails");
        isDown.set(false);
        assertThat(state(health)).as("a check each 5 s at most").isEqualTo("fails");
        time.advanceTimeBy(Duration.ofSeconds(6));
        assertThat(state(health)).isEqualTo("answers");
    }

    @Test
    void bucketsOfAPatternAreCheckedOnceClientsUseThem() {
        BackendHealthCache health = health(
                Map.of("", Mono.just(List.of()), "used", good("used"), "gone", failure(FailureKind.NO_SUCH_BUCKET)));
        assertThat(buckets(health)).isEmpty();
        read.addAll(List.of(ofPattern("used"), ofPattern("gone")));
        assertThat(buckets(health)).as("a check each 30 s").isEmpty();
        time.advanceTimeBy(Duration.ofSeconds(31));

        assertThat(buckets(health)).as("one that was deleted is no fault").containsExactly(tuple("used", "answers"));
        assertThat(requested).containsExactly("", "used", "gone");
    }

    /** Each costs the backend a request. */
    @Test
    void onlyTheBusiestBucketsOfPatternsAreChecked() {
        Map<String, Mono<?>> responses = new HashMap<>();
        for (int i = 0; i < 60; i++) {
            responses.put("b-" + i, good("b-" + i));
            read.add(ofPattern("b-" + i));
        }

        assertThat(buckets(health(responses))).hasSize(50).contains(tuple("b-0", "answers"), tuple("b-49", "answers"));
    }

    @Test
    void aBucketOfTheSettingsHasItsNameByAPatternToo() {
        BackendHealthCache health = health(Map.of("one-there", good("one-there")));
        read.add(ofPattern("one-there"));

        assertThat(buckets(health)).containsExactly(tuple("one", "answers"), tuple("one-there", "answers"));
        assertThat(requested).containsExactly("one-there");
    }

    /** A failure of the night must not look new in the morning. */
    @Test
    void troubleIsObservedSinceItBeganThoughNobodyLooks() {
        // Failures have the time of the system.
        time.advanceTimeTo(Instant.now());
        AtomicBoolean isDown = new AtomicBoolean();
        BackendHealthCache health = health(Map.of(
                "one-there", Mono.defer(() -> isDown.get() ? failure(FailureKind.UNAVAILABLE) : good("one-there"))));
        health.observeTrouble().block();
        assertThat(requested).as("nothing has failed").isEmpty();
        isDown.set(true);
        backend.headBucket(new BucketName("one-there")).onErrorComplete().block();
        Instant began = now();
        health.observeTrouble().block();
        time.advanceTimeBy(Duration.ofHours(2));

        assertThat(health.get().blockOptional().orElseThrow().get(0).since())
                .isEqualTo(began.truncatedTo(ChronoUnit.SECONDS));
        isDown.set(false);
        time.advanceTimeBy(Duration.ofSeconds(6));
        health.observeTrouble().block();
        requested.clear();
        health.observeTrouble().block();
        assertThat(requested).as("all is well again").isEmpty();
    }

    @Test
    void errorsOfTheLastMinuteHaveATimeUntilALookSeesNone() {
        BackendHealthCache health = health(Map.of("one-there", good("one-there")));
        assertThat(status(health).errorsSince()).isEmpty();
        errors = 3;
        Instant began = now();
        health.observeTrouble().block();
        time.advanceTimeBy(Duration.ofMinutes(2));
        assertThat(status(health).errorsSince()).contains(began);

        errors = 0;
        health.observeTrouble().block();
        errors = 1;
        time.advanceTimeBy(Duration.ofMinutes(2));

        assertThat(status(health).errorsSince()).contains(now());
    }

    private static BackendStatus status(BackendHealthCache health) {
        return health.get().blockOptional().orElseThrow().get(0);
    }

    private Instant now() {
        return Instant.ofEpochMilli(time.now(TimeUnit.MILLISECONDS));
    }

    private static List<Tuple> buckets(BackendHealthCache health) {
        return states(status(health));
    }

    private static List<Tuple> states(BackendStatus backend) {
        return backend.buckets().stream()
                .map(bucket -> tuple(bucket.bucket(), bucket.state()))
                .toList();
    }

    private static BucketView ofPattern(String name) {
        BucketName real = new BucketName(name);
        Backend unused = (Backend) Proxy.newProxyInstance(
                Backend.class.getClassLoader(), new Class<?>[] {Backend.class}, (proxy, method, arguments) -> {
                    throw new AssertionError(method);
                });
        return new BucketView(
                real,
                BucketViews.settings("*", "far", Optional.empty(), ""),
                unused,
                BucketSavingsRegistry.free().of("far", real));
    }

    private static String state(BackendHealthCache health) {
        return health.get().blockOptional().orElseThrow().get(0).state();
    }

    private BackendStatus view(Map<String, Mono<?>> responses) {
        return health(responses).get().blockOptional().orElseThrow().get(0);
    }

    /**
     * @param responses by the name of a bucket at the backend, or that and a listed prefix; the one without a name is
     *     that of the list of buckets
     */
    private BackendHealthCache health(Map<String, Mono<?>> responses) {
        requested.clear();
        ClientBucketNames names = new ClientBucketNames(Stream.concat(
                        responses.keySet().stream()
                                .filter(name -> name.endsWith("-there"))
                                .map(BackendHealthTest::entry),
                        partly.stream())
                .toList());
        Backend asking = (Backend) Proxy.newProxyInstance(
                Backend.class.getClassLoader(), new Class<?>[] {Backend.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("capabilities")) {
                        return Set.of(Capability.LIST);
                    }
                    if (method.getName().equals("remedies")) {
                        return remedies;
                    }
                    String bucket = bucketOf(arguments[0]);
                    return Mono.defer(() -> {
                        requested.add(bucket);
                        return requireNonNull(responses.get(bucket)).thenReturn("");
                    });
                });
        BackendFailureTracker failures = new BackendFailureTracker(names::find, warnings);
        backend = new MeteredBackend("far", asking, registry, failures);
        return new BackendHealthCache(
                Map.of(),
                names,
                Map.of("far", backend),
                name -> new BackendCallStatistics(9, errors, OptionalLong.empty()),
                failures,
                new StateClock(this::now),
                () -> read,
                time);
    }

    /** @param argument of a probe, a HEAD or a list */
    private static String bucketOf(Object argument) {
        if (argument instanceof ListRequest list) {
            return "%s/%s".formatted(list.bucket(), list.prefix());
        }
        return argument instanceof Optional<?> bucket
                ? bucket.map(String::valueOf).orElse("")
                : String.valueOf(argument);
    }

    private static BucketSettings entry(String there) {
        return BucketViews.settings(there.replace("-there", ""), "far", Optional.of(new BucketName(there)), "");
    }

    private static BucketSettings part(String name, String prefix) {
        return BucketViews.settings(name, "far", Optional.of(new BucketName("part")), prefix);
    }

    private static Mono<BucketInfo> good(String name) {
        return Mono.just(new BucketInfo(new BucketName(name), Optional.empty()));
    }

    private static <T> Mono<T> failure(FailureKind kind) {
        return Mono.error(new BackendException(kind, "no, because"));
    }
}
