package io.millrace.backend.resilience;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BucketManager;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;

class BucketProbeTest {
    private static final Optional<BucketName> USED = Optional.of(new BucketName("used"));
    private static final Optional<BucketName> NAMED = Optional.of(new BucketName("named-by-a-client"));

    private final List<String> asked = new ArrayList<>();
    private Mono<BucketInfo> answer = Mono.empty();

    private final BucketProbe probe = new BucketProbe(new BucketManager() {
        @Override
        public Mono<BucketInfo> headBucket(BucketName name) {
            asked.add(name.value());
            return answer;
        }

        @Override
        public Mono<List<BucketInfo>> listBuckets() {
            asked.add("all");
            return Mono.just(List.of());
        }
    });

    @Test
    void asksForTheBucketOfTheLastResponse() {
        probe.answered(USED);
        probe.failed(NAMED);

        assertThat(probe.works().block()).isTrue();

        assertThat(asked).containsExactly("used");
    }

    @Test
    void asksForTheBucketThatFailedBeforeAnyResponse() {
        probe.failed(NAMED);

        assertThat(probe.works().block()).isTrue();

        assertThat(asked).containsExactly("named-by-a-client");
    }

    @Test
    void listsBucketsWhereNoneIsKnown() {
        probe.answered(Optional.empty());

        assertThat(probe.works().block()).isTrue();

        assertThat(asked).containsExactly("all");
    }

    @ParameterizedTest
    @EnumSource(names = {"UNAVAILABLE", "CREDENTIALS_UNAVAILABLE", "THROTTLED"})
    void backendThatFailsDoesNotWork(FailureKind kind) {
        assertThat(outcome(kind)).contains(false);
    }

    @ParameterizedTest
    @EnumSource(names = {"NO_SUCH_BUCKET", "ACCESS_DENIED", "CREDENTIALS_REJECTED", "INVALID_REQUEST"})
    void anyRefusalIsAnAnswer(FailureKind kind) {
        assertThat(outcome(kind)).contains(true);
    }

    @Test
    void boundOfTheGatewaySaysNothing() {
        assertThat(outcome(FailureKind.BUSY)).isEmpty();
    }

    private Optional<Boolean> outcome(FailureKind kind) {
        probe.answered(USED);
        answer = Mono.error(new BackendException(kind, "by plan"));
        return probe.works().blockOptional();
    }
}
