package io.millrace.gateway.s3.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.policy.RequestSource;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.objects.monitor.RecentRequest;
import io.millrace.gateway.objects.read.CacheResult;
import io.millrace.gateway.s3.protocol.RequestHeaders;
import io.millrace.gateway.s3.protocol.RequestTarget;
import io.millrace.gateway.s3.protocol.S3Request;
import io.millrace.gateway.s3.protocol.UnverifiedRequestBody;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Verifies that the last requests of an object are found, without its hits. */
class RecentRequestsTest {
    private static final BucketName BUCKET = new BucketName("bucket");
    private static final ObjectKey KEY = new ObjectKey("k");
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

    private final RecentRequests recent = new RecentRequests(() -> NOW);

    @Test
    void findsMissesAndFailuresNewestFirst() {
        ended("first", "/bucket/k", CacheResult.MISS, OutcomeCategory.OK, false);
        ended("other", "/bucket/other", CacheResult.MISS, OutcomeCategory.OK, false);
        ended("second", "/bucket/k", CacheResult.HIT, OutcomeCategory.BROKEN, false);

        assertThat(recent.last(BUCKET, KEY))
                .extracting(RecentRequest::requestId)
                .containsExactly("second", "first");
        assertThat(recent.last(BUCKET, KEY).get(1))
                .isEqualTo(new RecentRequest(NOW, "first", "GetObject", Optional.of("miss"), 200, "ok", 7, 3));
    }

    @Test
    void doesNotRecordHits() {
        ended("hit", "/bucket/k", CacheResult.HIT, OutcomeCategory.OK, false);
        ended("fast", "/bucket/k", CacheResult.HIT, OutcomeCategory.OK, true);

        assertThat(recent.last(BUCKET, KEY)).isEmpty();
    }

    @Test
    void forgetsTheOldestBeyondItsCapacity() {
        ended("old", "/bucket/k", CacheResult.MISS, OutcomeCategory.OK, false);
        for (int i = 0; i < RecentRequests.CAPACITY; i++) {
            ended("later", "/bucket/other", CacheResult.MISS, OutcomeCategory.OK, false);
        }

        assertThat(recent.last(BUCKET, KEY)).isEmpty();
        assertThat(recent.last(BUCKET, new ObjectKey("other"))).hasSize(RecentRequests.MOST_OF_ONE);
    }

    @Test
    void failuresOfClientsDisplaceNoneOfTheGateway() {
        failed("outage", 503, OutcomeCategory.SERVER_ERROR);
        for (int i = 0; i < 3 * RecentRequests.MOST_FAILED; i++) {
            failed("absent", 404, OutcomeCategory.CLIENT_ERROR);
            failed("unknown", 501, OutcomeCategory.SERVER_ERROR);
        }

        assertThat(recent.lastFailed())
                .hasSize(RecentRequests.MOST_FAILED + 1)
                .extracting(failure -> failure.request().requestId())
                .contains("outage");
    }

    private void failed(String id, int status, OutcomeCategory outcome) {
        recent.ended(new RecordedGet()
                .received(request("/bucket/k", id), id, "/bucket/k")
                .ended(status, outcome)
                .build());
    }

    private static S3Request request(String target, String id) {
        return new S3Request(
                "GET",
                RequestTarget.parse(target, Optional.empty()),
                RequestHeaders.NONE,
                UnverifiedRequestBody.NONE,
                id,
                RequestSource.INTERNAL);
    }

    private void ended(String id, String target, CacheResult cache, OutcomeCategory outcome, boolean fastPath) {
        recent.ended(new RecordedGet()
                .received(request(target, id), id, target)
                .ended(200, outcome)
                .took(1000, 3000)
                .sent(7)
                .cache(Optional.of(cache))
                .fastPath(fastPath)
                .bucket(Optional.of(BUCKET))
                .build());
    }
}
