package io.millrace.gateway.s3.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.gateway.objects.freshness.CacheResult;
import io.millrace.gateway.s3.routing.S3Operation;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Verifies the meters of hit ratios: each GET of an object counts once, and nothing else does. */
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
