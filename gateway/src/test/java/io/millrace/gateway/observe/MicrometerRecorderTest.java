package io.millrace.gateway.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.gateway.http.CacheResult;
import io.millrace.gateway.http.S3Operation;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A hit ratio is made of these meters: each GET of an object counts once, and nothing else does. */
class MicrometerRecorderTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final MicrometerRecorder recorder = new MicrometerRecorder(registry);

    @Test
    void everyResultIsThereFromTheBeginning() {
        for (CacheResult result : CacheResult.values()) {
            assertThat(answers(result)).isZero();
        }
    }

    @Test
    void getsOfObjectsCountByWhatTheCacheWasForThem() {
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
        return registry.get("millrace.cache.answers")
                .tag("result", result.name().toLowerCase(Locale.ROOT))
                .counter()
                .count();
    }

    private static RequestRecord request(S3Operation operation, Optional<CacheResult> cache) {
        return new RequestRecord(
                "id",
                Optional.of(operation),
                "who",
                "peer",
                "GET",
                "/b/k",
                200,
                Outcome.OK,
                10,
                20,
                0,
                5,
                cache,
                Optional.empty());
    }
}
