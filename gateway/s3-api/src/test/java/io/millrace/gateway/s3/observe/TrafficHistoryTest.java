package io.millrace.gateway.s3.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketSavingsRegistry;
import io.millrace.gateway.objects.bucket.ClientBucketNames;
import io.millrace.gateway.objects.monitor.BackendCallStatistics;
import io.millrace.gateway.objects.monitor.CacheMeters;
import io.millrace.gateway.objects.monitor.ErrorHistory;
import io.millrace.gateway.objects.monitor.MeterName;
import io.millrace.gateway.objects.monitor.TrafficBreakdown;
import io.millrace.gateway.objects.monitor.TrafficDimension;
import io.millrace.gateway.objects.monitor.TrafficPoint;
import io.millrace.gateway.objects.read.CacheResult;
import io.millrace.gateway.s3.protocol.S3Operation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Verifies that the traffic history shows the counts of the meters in steps. */
class TrafficHistoryTest {
    private final MeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final RequestMeters recorder = new RequestMeters(registry);
    private final CacheMeters cache = new CacheMeters(registry);
    private final BucketSavingsRegistry savings = BucketSavingsRegistry.free();
    private final TrafficByName buckets = TrafficByName.ofBuckets(List.of("raw"));
    private final ErrorCounts errors = new ErrorCounts(buckets::isApart);
    private final TrafficHistory history =
            new TrafficHistory(registry, recorder, savings, () -> new ClientBucketNames(List.of()), errors);

    @Test
    void stepCountsOnlyItsOwnTraffic() {
        get(CacheResult.HIT, 100);
        get(CacheResult.COLLAPSED, 100);
        cache.served(70);
        history.sample();
        get(CacheResult.MISS, 5);
        get(CacheResult.STALE, 5);
        get(CacheResult.BYPASS, 5);
        history.sample();

        List<TrafficPoint> points = history.last(Duration.ofMinutes(1));
        assertThat(points).hasSize(2);
        assertThat(points.get(0).requests()).isEqualTo(2);
        assertThat(points.get(0).hits()).isEqualTo(1);
        assertThat(points.get(0).misses()).isEqualTo(1);
        assertThat(points.get(0).bytesOut()).isEqualTo(200);
        assertThat(points.get(0).bytesCached()).isEqualTo(70);
        assertThat(points.get(1).requests()).isEqualTo(3);
        assertThat(points.get(1).hits()).isZero();
        assertThat(points.get(1).misses()).isEqualTo(1);
        assertThat(points.get(1).stale()).isEqualTo(1);
        assertThat(points.get(1).bypassed()).isEqualTo(1);
        assertThat(points.get(1).bytesCached()).isZero();
    }

    @Test
    void preflightsAnybodyMaySendNeitherRaiseTheShareOfErrorsNorLowerIt() {
        ended(OutcomeCategory.SERVER_ERROR, Duration.ofMillis(1));
        for (OutcomeCategory outcome : List.of(OutcomeCategory.CLIENT_ERROR, OutcomeCategory.SERVER_ERROR)) {
            for (S3Operation operation : List.of(S3Operation.PREFLIGHT_BUCKET, S3Operation.PREFLIGHT_OBJECT)) {
                recorder.started();
                recorder.ended(new RecordedGet()
                        .operation(operation)
                        .ended(200, outcome)
                        .build());
            }
        }
        history.sample();

        TrafficPoint point = history.last(Duration.ofMinutes(1)).get(0);
        assertThat(point.requests()).isEqualTo(1);
        assertThat(point.errors()).isEqualTo(1);
    }

    @Test
    void errorsAreWhatTheGatewayCouldNotDo() {
        ended(OutcomeCategory.SERVER_ERROR, Duration.ofMillis(1));
        ended(OutcomeCategory.BROKEN, Duration.ofMillis(1));
        ended(OutcomeCategory.CLIENT_ERROR, Duration.ofMillis(1));
        ended(OutcomeCategory.CLIENT_LEFT, Duration.ofMillis(1));
        history.sample();

        assertThat(history.last(Duration.ofMinutes(1)).get(0).errors()).isEqualTo(2);
    }

    @Test
    void timesAreThoseOfTheStep() {
        for (int i = 0; i < 98; i++) {
            ended(OutcomeCategory.OK, Duration.ofMillis(2));
        }
        ended(OutcomeCategory.OK, Duration.ofMillis(400));
        ended(OutcomeCategory.OK, Duration.ofMillis(400));
        history.sample();
        ended(OutcomeCategory.OK, Duration.ofMillis(20));
        history.sample();
        history.sample();

        List<TrafficPoint> points = history.last(Duration.ofMinutes(1));
        assertThat(points.get(0).p50Micros().orElseThrow()).isBetween(1_500L, 2_500L);
        assertThat(points.get(0).p99Micros().orElseThrow()).isBetween(300_000L, 500_000L);
        assertThat(points.get(1).p99Micros().orElseThrow()).isBetween(15_000L, 25_000L);
        assertThat(points.get(2).p50Micros()).isEmpty();
    }

    @Test
    void recordsHoursInStepsAndDaysInMinutes() {
        for (int i = 0; i < 9000; i++) {
            if (i % 6 == 0) {
                get(CacheResult.HIT, 1);
            }
            history.sample();
        }

        assertThat(history.last(Duration.ofHours(1))).hasSize(360);
        assertThat(history.last(Duration.ofMinutes(2))).hasSize(12);
        assertThat(history.last(Duration.ofDays(1)))
                .hasSize(1440)
                .allSatisfy(minute -> assertThat(minute.hits()).isEqualTo(1));
        assertThat(history.last(Duration.ofHours(2))).hasSize(120);
    }

    @Test
    void aBackendsLoadIsThatOfTheLastMinute() {
        calls("far", "open", "ok", 3);
        calls("far", "head", "unavailable", 1);
        calls("far", "head", "no_such_key", 1);
        calls("far", "open", "cancelled", 7);
        calls("near", "open", "unexpected", 1);
        history.sample();

        assertThat(history.load("far").calls()).isEqualTo(5);
        assertThat(history.load("far").errors()).isEqualTo(1);
        assertThat(history.load("far").meanMicros().orElseThrow()).isEqualTo(1000);
        assertThat(history.load("near").errors()).isEqualTo(1);
        assertThat(history.load("none")).isEqualTo(BackendCallStatistics.NONE);
        for (int i = 0; i < 6; i++) {
            history.sample();
        }
        assertThat(history.load("far")).isEqualTo(BackendCallStatistics.NONE);
    }

    /** An operator looks at once after a failure, and not ten seconds later. */
    @Test
    void aBackendsLoadHasTheCallsAfterTheLastSample() {
        history.sample();
        calls("far", "open", "ok", 3);

        assertThat(history.load("far").calls()).isEqualTo(3);
    }

    @Test
    void breakdownHasTheTrafficOfEachOperation() {
        history.sample();
        get(CacheResult.HIT, 100);
        get(CacheResult.MISS, 50);
        ended(OutcomeCategory.SERVER_ERROR, Duration.ofMillis(4));
        history.sample();
        history.sample();

        TrafficBreakdown found = history.breakdown(TrafficDimension.OPERATION, Duration.ofMinutes(1));
        assertThat(found.stepSeconds()).isEqualTo(10);
        assertThat(found.times()).hasSize(3);
        assertThat(found.series()).singleElement().satisfies(line -> {
            assertThat(line.name()).isEqualTo("GetObject");
            assertThat(line.points()).singleElement().satisfies(point -> {
                assertThat(point.at()).isEqualTo(found.times().get(1));
                assertThat(point.requests()).isEqualTo(3);
                assertThat(point.errors()).isEqualTo(1);
                assertThat(point.bytes()).isEqualTo(150);
                assertThat(point.meanMicros()).hasValue(2000);
            });
        });
    }

    @Test
    void breakdownSeparatesBackendsAndBuckets() {
        calls("far", "open", "ok", 3);
        calls("far", "head", "unavailable", 1);
        savings.of("far", new BucketName("raw")).create().served(70);
        history.sample();

        assertThat(history.breakdown(TrafficDimension.BACKEND, Duration.ofMinutes(1))
                        .series())
                .singleElement()
                .satisfies(line -> {
                    assertThat(line.name()).isEqualTo("far");
                    assertThat(line.points().get(0).requests()).isEqualTo(4);
                    assertThat(line.points().get(0).errors()).isEqualTo(1);
                });
        assertThat(history.breakdown(TrafficDimension.BUCKET, Duration.ofMinutes(1))
                        .series())
                .singleElement()
                .satisfies(line -> {
                    assertThat(line.name()).isEqualTo("raw");
                    assertThat(line.points().get(0).requests()).isEqualTo(1);
                    assertThat(line.points().get(0).bytes()).isEqualTo(70);
                    assertThat(line.points().get(0).meanMicros()).isEmpty();
                });
    }

    @Test
    void breakdownFollowsABoundedNumberOfBuckets() {
        for (int i = 0; i < 2 * TrafficDimensionReader.MOST; i++) {
            savings.of("far", new BucketName("bucket-" + i)).create().served(1);
        }
        history.sample();

        assertThat(history.breakdown(TrafficDimension.BUCKET, Duration.ofMinutes(1))
                        .series())
                .hasSize(TrafficDimensionReader.MOST);
    }

    @Test
    void errorsAreDividedByBucketAndStatus() {
        history.sample();
        failed("raw", 503, true);
        failed("raw", 503, true);
        failed("raw", 200, OutcomeCategory.BROKEN, true);
        failed(null, 403, false);
        failed("typo", 404, true);
        failed("raw", 200, OutcomeCategory.OK, true);
        history.sample();
        history.sample();
        failed("raw", 503, true);
        history.sample();

        ErrorHistory found = history.errors(Duration.ofMinutes(1));
        assertThat(found.times()).hasSize(4);
        assertThat(found.series())
                .extracting(one -> one.bucket() + " " + one.status())
                .containsExactly("(none) 403", "(others) 404", "raw 503", "raw broken");
        assertThat(found.series().get(2).points())
                .extracting(ErrorHistory.ErrorPoint::at, ErrorHistory.ErrorPoint::errors)
                .containsExactly(
                        tuple(found.times().get(1), 2L), tuple(found.times().get(3), 1L));
    }

    /** Both are 503, and need different operators. */
    @Test
    void errorsOfOneStatusAreDividedByTheirCode() {
        for (S3ErrorCode code : List.of(S3ErrorCode.SLOW_DOWN, S3ErrorCode.SERVICE_UNAVAILABLE)) {
            RequestRecord request = failure("raw", 503, OutcomeCategory.SERVER_ERROR)
                    .error(new S3Exception(code))
                    .build();
            buckets.ended(request);
            errors.ended(request);
        }
        history.sample();

        assertThat(history.errors(Duration.ofMinutes(1)).series())
                .extracting(one -> one.bucket() + " " + one.status() + " " + one.code())
                .containsExactly("raw 503 ServiceUnavailable", "raw 503 SlowDown");
    }

    @Test
    void codesThatABackendInventsAreBounded() {
        for (int i = 0; i < ErrorCounts.MOST_KEYS + 10; i++) {
            errors.ended(failure("raw", 400, OutcomeCategory.CLIENT_ERROR)
                    .error(new S3Exception(400, "Invented" + i, ""))
                    .build());
        }

        assertThat(errors.counted()).hasSize(ErrorCounts.MOST_KEYS + 1);
    }

    /** A restart may meet a backend that is down: then nothing of its buckets has been served yet. */
    @Test
    void errorsOfAuthorizedClientsNameBucketsThatServedNothingYet() {
        failed("new", 503, true);
        failed("strange", 503, false);
        history.sample();

        assertThat(history.errors(Duration.ofMinutes(1)).series())
                .extracting(ErrorHistory.ErrorLine::bucket)
                .containsExactly("(others)", "new");
    }

    @Test
    void stepHasItsMostFrequentErrorsApart() {
        for (int i = 0; i < 2 * TrafficHistory.MOST_ERROR_LINES; i++) {
            failed("bucket-" + i, 502 + i % 2, true);
        }
        failed("raw", 404, true);
        failed("raw", 404, true);
        history.sample();

        assertThat(series()).hasSize(TrafficHistory.MOST_ERROR_LINES + 2).contains("raw 404", "(others) 502");
    }

    @Test
    void errorsOfStrangersNeitherNameBucketsNorDisplaceLaterErrors() {
        for (int i = 0; i < 2 * TrafficHistory.MOST_ERROR_LINES; i++) {
            errors.ended(failure("public-" + i, 400, OutcomeCategory.CLIENT_ERROR)
                    .by("anonymous")
                    .build());
            failed("raw", 400 + i, false);
        }
        history.sample();
        history.sample();
        failed("raw", 503, true);
        history.sample();

        List<String> found = series();
        assertThat(found).contains("raw 503").noneMatch(line -> line.startsWith("public-"));
    }

    private List<String> series() {
        return history.errors(Duration.ofMinutes(1)).series().stream()
                .map(one -> one.bucket() + " " + one.status())
                .toList();
    }

    private void failed(@Nullable String bucket, int status, boolean admitted) {
        failed(bucket, status, OutcomeCategory.ofStatus(status), admitted);
    }

    private void failed(@Nullable String bucket, int status, OutcomeCategory outcome, boolean admitted) {
        RequestRecord request =
                failure(bucket, status, outcome).admitted(admitted).build();
        buckets.ended(request);
        errors.ended(request);
    }

    private static RecordedGet failure(@Nullable String bucket, int status, OutcomeCategory outcome) {
        return new RecordedGet()
                .ended(status, outcome)
                .bucket(Optional.ofNullable(bucket).map(BucketName::new));
    }

    private void calls(String backend, String operation, String outcome, int count) {
        Timer timer = Timer.builder(MeterName.BACKEND_CALL.wireName())
                .tag("backend", backend)
                .tag("operation", operation)
                .tag("outcome", outcome)
                .register(registry);
        for (int i = 0; i < count; i++) {
            timer.record(1, TimeUnit.MILLISECONDS);
        }
    }

    private void get(CacheResult result, long bytes) {
        record(OutcomeCategory.OK, Duration.ofMillis(1), bytes, Optional.of(result));
    }

    private void ended(OutcomeCategory outcome, Duration firstByte) {
        record(outcome, firstByte, 0, Optional.empty());
    }

    private void record(OutcomeCategory outcome, Duration firstByte, long bytes, Optional<CacheResult> cached) {
        recorder.started();
        recorder.ended(new RecordedGet()
                .ended(200, outcome)
                .took(firstByte.toNanos(), firstByte.toNanos())
                .sent(bytes)
                .cache(cached)
                .build());
    }
}
