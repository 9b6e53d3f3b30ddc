package io.millrace.gateway.s3.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.read.CacheResult;
import io.millrace.gateway.s3.protocol.S3Operation;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Verifies the meters of hit ratios: each GET of an object counts once, and nothing else does; and those of errors. */
class RequestMetersTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final RequestMeters recorder = new RequestMeters(registry);

    @Test
    void everyResultIsThereFromTheBeginning() {
        for (CacheResult result : CacheResult.values()) {
            assertThat(answers(result)).isZero();
        }
    }

    @Test
    void countsGetsByCacheResult() {
        recorder.ended(request(S3Operation.GET_OBJECT, Optional.of(CacheResult.HIT)));
        recorder.ended(request(S3Operation.GET_OBJECT, Optional.of(CacheResult.HIT)));
        recorder.ended(request(S3Operation.GET_OBJECT, Optional.of(CacheResult.COLLAPSED)));
        recorder.ended(request(S3Operation.GET_OBJECT, Optional.empty()));
        recorder.ended(request(S3Operation.HEAD_OBJECT, Optional.of(CacheResult.HIT)));
        recorder.ended(request(S3Operation.PUT_OBJECT, Optional.of(CacheResult.BYPASS)));

        assertThat(answers(CacheResult.HIT)).isEqualTo(2);
        assertThat(answers(CacheResult.COLLAPSED)).isEqualTo(1);
        assertThat(answers(CacheResult.BYPASS)).isZero();
    }

    /** Both are 503, and need different operators. */
    @Test
    void errorsOfOneStatusAreDividedByTheirCode() {
        recorder.ended(failure(new S3Exception(S3ErrorCode.SLOW_DOWN)));
        recorder.ended(failure(new S3Exception(S3ErrorCode.SLOW_DOWN)));
        recorder.ended(failure(new S3Exception(S3ErrorCode.SERVICE_UNAVAILABLE)));

        assertThat(errors("SlowDown")).isEqualTo(2);
        assertThat(errors("ServiceUnavailable")).isEqualTo(1);
    }

    @Test
    void codesThatABackendInventsAreBounded() {
        for (int i = 0; i < RequestMeters.MOST_ERRORS + 10; i++) {
            recorder.ended(failure(new S3Exception(503, "Invented" + i, "")));
        }

        assertThat(registry.find("millrace.s3.errors").counters()).hasSize(RequestMeters.MOST_ERRORS + 1);
        assertThat(errors("(others)")).isEqualTo(10);
    }

    private double errors(String code) {
        return registry.get("millrace.s3.errors")
                .tag("status", "503")
                .tag("code", code)
                .counter()
                .count();
    }

    private static RequestRecord failure(S3Exception error) {
        return new RecordedGet()
                .ended(503, OutcomeCategory.SERVER_ERROR)
                .error(error)
                .build();
    }

    private double answers(CacheResult result) {
        return registry.get("millrace.cache.requests")
                .tag("result", result.name().toLowerCase(Locale.ROOT))
                .counter()
                .count();
    }

    private static RequestRecord request(S3Operation operation, Optional<CacheResult> cache) {
        return new RecordedGet()
                .operation(operation)
                .took(10, 20)
                .sent(5)
                .cache(cache)
                .build();
    }
}
