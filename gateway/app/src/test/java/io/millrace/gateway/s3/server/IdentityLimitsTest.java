package io.millrace.gateway.s3.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.identity.IdentityLimitSettings;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.config.DataSize;
import io.millrace.gateway.RawClient;
import io.millrace.gateway.SigningClient;
import io.millrace.gateway.TestGateway;
import io.millrace.gateway.s3.observe.OutcomeCategory;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that an identity beyond its limits gets SlowDown, and that no other identity does. */
@Timeout(180)
class IdentityLimitsTest {
    private static final String OBJECT = "/pub/key";
    private static final int SIZE = 64 * 1024;

    private final InMemoryBackend backend = new InMemoryBackend();

    @BeforeEach
    void seed() {
        ObjectRef object = new ObjectRef(new BucketName("pub"), new ObjectKey("key"));
        backend.store(object, new byte[SIZE], HeaderList.EMPTY);
    }

    @Test
    void requestsBeyondTheLimitGetSlowDownUntilTimeHasPassed() throws Exception {
        try (TestGateway gateway = gateway(new IdentityLimitSettings(Optional.of(1), Optional.empty()))) {
            SigningClient limited = SigningClient.of(gateway, "LIMITED", "limited-secret");
            RawClient.Response refused = limited.head(OBJECT);
            for (int i = 0; i < 50 && refused.status() == 200; i++) {
                refused = limited.get(OBJECT);
            }

            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.element("Code")).isEqualTo("SlowDown");
            assertThat(gateway.throttled()).isEqualTo(1);
            Polling.until(
                    "it is no failure of the gateway",
                    () -> gateway.requests().stream()
                                    .filter(request -> request.status() == 503)
                                    .allMatch(request -> request.outcome() == OutcomeCategory.THROTTLED)
                            && gateway.requests().stream().anyMatch(request -> request.status() == 503));
            // As long as those take that had passed before the first of them was counted.
            assertThat(Integer.parseInt(refused.headers().get("retry-after"))).isBetween(1, 50);
            assertThat(SigningClient.of(gateway, "OTHER", "other-secret")
                            .get(OBJECT)
                            .status())
                    .isEqualTo(200);
            Polling.until("it is served again", () -> limited.head(OBJECT).status() == 200);
        }
    }

    @Test
    void oneLargeResponseDelaysTheNextByHalfAMinuteAtMost() throws Exception {
        IdentityLimitSettings limits = new IdentityLimitSettings(Optional.empty(), Optional.of(DataSize.parse("1KiB")));
        try (TestGateway gateway = gateway(limits)) {
            SigningClient limited = SigningClient.of(gateway, "LIMITED", "limited-secret");
            assertThat(limited.get(OBJECT).status()).isEqualTo(200);

            // A request counts when it has ended, which its client may know first.
            Polling.until("the next is refused", () -> limited.head(OBJECT).status() == 503);

            String seconds = limited.get(OBJECT).headers().get("retry-after");
            assertThat(Integer.parseInt(seconds)).isBetween(5, 31);
            assertThat(SigningClient.of(gateway, "OTHER", "other-secret")
                            .get(OBJECT)
                            .status())
                    .isEqualTo(200);
        }
    }

    private TestGateway gateway(IdentityLimitSettings limits) {
        return TestGateway.builder()
                .bucket("pub", backend)
                .identity("limited", "LIMITED", "limited-secret", limits)
                .identity("other", "OTHER", "other-secret", "*")
                .start();
    }
}
