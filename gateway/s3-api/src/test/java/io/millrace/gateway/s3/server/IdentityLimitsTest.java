package io.millrace.gateway.s3.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.IdentityLimitSettings;
import io.millrace.auth.IdentityRegistry;
import io.millrace.auth.IdentitySettings;
import io.millrace.auth.policy.AllowRule;
import io.millrace.auth.session.RoleRegistry;
import io.millrace.auth.session.RoleSettings;
import io.millrace.auth.session.SessionCredentials;
import io.millrace.auth.session.SessionGrant;
import io.millrace.auth.session.SessionKey;
import io.millrace.auth.session.Sessions;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.config.DataSize;
import io.millrace.config.Secret;
import io.millrace.gateway.s3.observe.OutcomeCategory;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.SigningClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that an identity beyond its limits gets SlowDown, in roles too, and that no other identity does. */
@Timeout(180)
class IdentityLimitsTest {
    private static final String OBJECT = "/pub/key";
    private static final int SIZE = 64 * 1024;

    private final InMemoryBackend backend = new InMemoryBackend();
    private final Sessions sessions = sessions();

    @BeforeEach
    void seed() {
        ObjectRef object = new ObjectRef(new BucketName("pub"), new ObjectKey("key"));
        backend.store(object, new byte[SIZE], HeaderList.EMPTY);
    }

    @Test
    void requestsBeyondTheLimitGetSlowDownUntilTimeHasPassed() throws Exception {
        try (TestGateway gateway = gateway(limits(Optional.of(1), Optional.empty(), Optional.empty()))) {
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
        IdentityLimitSettings limits = limits(Optional.empty(), Optional.of("1KiB"), Optional.empty());
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

    @Test
    void roleHasTheLimitsOfTheIdentityThatAssumedIt() throws Exception {
        IdentityLimitSettings limits = limits(Optional.empty(), Optional.of("1KiB"), Optional.empty());
        try (TestGateway gateway = gateway(limits)) {
            assertThat(asReader(gateway, "other").status()).isEqualTo(200);
            assertThat(asReader(gateway, "limited").status()).isEqualTo(200);

            Polling.until(
                    "its next request is refused",
                    () -> asReader(gateway, "limited").status() == 503);

            assertThat(SigningClient.of(gateway, "LIMITED", "limited-secret")
                            .get(OBJECT)
                            .status())
                    .isEqualTo(503);
            assertThat(asReader(gateway, "other").status()).isEqualTo(200);
            // That of a provider's token, whose owner is no identity.
            assertThat(asReader(gateway, "").status()).isEqualTo(200);
        }
    }

    @Test
    void requestsAtATimeBeyondTheLimitGetSlowDownUntilOneEnds() throws Exception {
        ObjectRef large = new ObjectRef(new BucketName("pub"), new ObjectKey("large"));
        backend.store(large, new byte[64 * 1024 * 1024], HeaderList.EMPTY);
        try (TestGateway gateway = gateway(limits(Optional.empty(), Optional.empty(), Optional.of(2)))) {
            SigningClient limited = SigningClient.of(gateway, "LIMITED", "limited-secret");
            RawClient first = unread(gateway, limited);
            try (RawClient second = unread(gateway, limited)) {
                Polling.until("both are under way", () -> gateway.inFlight() == 2);

                RawClient.Response refused = limited.get(OBJECT);
                assertThat(refused.status()).isEqualTo(503);
                assertThat(refused.element("Code")).isEqualTo("SlowDown");
                assertThat(refused.headers().get("retry-after")).isEqualTo("1");
                assertThat(asReader(gateway, "limited").status())
                        .as("in a role that it has assumed")
                        .isEqualTo(503);
                assertThat(asReader(gateway, "other").status()).isEqualTo(200);
                first.close();
                Polling.until("one has ended", () -> limited.get(OBJECT).status() == 200);
                assertThat(second.socket().isConnected()).isTrue();
            }
            Polling.until("all have ended", () -> gateway.inFlight() == 0);
            for (int i = 0; i < 10; i++) {
                assertThat(limited.get(OBJECT).status())
                        .as("one after the other")
                        .isEqualTo(200);
                Polling.until("it has ended", () -> gateway.inFlight() == 0);
            }
        }
    }

    /** Asks for a large object and reads nothing. */
    private static RawClient unread(TestGateway gateway, SigningClient who) throws IOException {
        RawClient client = gateway.connect();
        client.socket().setReceiveBufferSize(16 * 1024);
        client.socket()
                .getOutputStream()
                .write(who.request("GET", "/pub/large", Map.of()).getBytes(StandardCharsets.ISO_8859_1));
        return client;
    }

    private static IdentityLimitSettings limits(
            Optional<Integer> requests, Optional<String> bandwidth, Optional<Integer> concurrent) {
        return new IdentityLimitSettings(requests, bandwidth.map(DataSize::parse), concurrent);
    }

    /** Reads in a new session of the role that this identity has assumed. All sessions have the same name. */
    private RawClient.Response asReader(TestGateway gateway, String identity) throws IOException {
        SessionCredentials session =
                sessions.issue(new SessionGrant("reader", "pod", "subject", identity, ""), Duration.ofHours(1));
        return SigningClient.of(
                        gateway, session.accessKey(), session.secretKey().reveal())
                .ask(
                        "GET",
                        OBJECT,
                        Map.of("x-amz-security-token", session.token().reveal()));
    }

    private TestGateway gateway(IdentityLimitSettings limits) {
        return TestGateway.builder()
                .bucket("pub", backend)
                .identity("limited", "LIMITED", "limited-secret", limits)
                .identity("other", "OTHER", "other-secret", "*")
                .credentials(sessions)
                .start();
    }

    private static Sessions sessions() {
        RoleSettings reader = new RoleSettings(
                "reader",
                Optional.empty(),
                List.of(),
                Map.of(),
                List.of("user/limited", "user/other"),
                List.of(),
                List.of(AllowRule.parse("read:*")),
                List.of(),
                Duration.ofHours(1));
        List<SessionKey> keys = List.of(new SessionKey(new byte[SessionKey.BYTES]));
        IdentityRegistry identities = IdentityRegistry.of(List.of(
                new IdentitySettings("limited", "LIMITED", Secret.of("limited-secret"), List.of(AllowRule.parse("*"))),
                new IdentitySettings("other", "OTHER", Secret.of("other-secret"), List.of(AllowRule.parse("*")))));
        return new Sessions(
                () -> keys, new RoleRegistry(List.of(reader)), identities, Optional.empty(), InstantSource.system());
    }
}
