package io.millrace.gateway.s3.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.resilience.ResilienceSettings;
import io.millrace.backend.resilience.ResilienceStats;
import io.millrace.backend.resilience.ResilientBackend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.SigningClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that clients who hold connections of a backend leave some to others: it has 16, over sockets. */
@Timeout(180)
class BackendSharesTest {
    private static final int CONNECTIONS = 16;
    private static final int CROWD = 40;
    private static final BucketName BUCKET = new BucketName("pub");

    private final InMemoryBackend objects = new InMemoryBackend(EnumSet.of(Capability.WRITE)).createBucket(BUCKET);
    private final List<RawClient> crowd = new ArrayList<>();
    private final TestGateway origin = TestGateway.over(objects);
    private final ResilientBackend backend = new ResilientBackend(
            "far", origin.asBackend(CONNECTIONS), ResilienceSettings.DEFAULTS, OptionalInt.of(CONNECTIONS));
    private final ResilienceStats stats = backend.stats();
    private final TestGateway gateway = TestGateway.builder()
            .bucket("pub", backend, "", "read")
            .identity("crowd", "CROWD", "crowd-secret", "*")
            .start();
    private final SigningClient other = SigningClient.of(gateway, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);

    @BeforeEach
    void seed() {
        objects.store(new ObjectRef(BUCKET, new ObjectKey("large")), new byte[64 << 20], HeaderList.EMPTY);
        objects.store(new ObjectRef(BUCKET, new ObjectKey("small")), new byte[1000], HeaderList.EMPTY);
    }

    @AfterEach
    void stop() throws IOException {
        for (RawClient client : crowd) {
            client.close();
        }
        gateway.close();
        backend.close().block();
        origin.close();
    }

    @Test
    void unsignedReadersThatTakeNothingLeaveConnectionsToOthers() throws Exception {
        SigningClient guest = SigningClient.anonymous(gateway);
        open(guest.request("GET", "/pub/large", Map.of("cache-control", "no-store")));
        Polling.until("they have their share", () -> stats.clientStreams() == 3);

        assertOthersAreServed();
        assertThat(stats.clientStreams()).as("of one address").isLessThanOrEqualTo(3);
    }

    @Test
    void readersOfOneIdentityThatTakeNothingLeaveConnectionsToOthers() throws Exception {
        SigningClient reader = SigningClient.of(gateway, "CROWD", "crowd-secret");
        open(reader.request("GET", "/pub/large", Map.of("cache-control", "no-store")));
        Polling.until("they have their share", () -> stats.clientStreams() == 6);

        assertOthersAreServed();
    }

    @Test
    void writersOfOneIdentityThatSendNothingLeaveConnectionsToOthers() throws Exception {
        SigningClient writer = SigningClient.of(gateway, "CROWD", "crowd-secret");
        open(writer.request("PUT", "/pub/upload", Map.of("content-length", "1000000")) + "x");
        Polling.until("they have their share", () -> stats.clientStreams() == 6);

        assertOthersAreServed();
    }

    @Test
    void readerThatTakesNothingGivesWayToANewOneOfItsIdentity() throws Exception {
        SigningClient reader = SigningClient.of(gateway, "CROWD", "crowd-secret");
        open(reader.request("GET", "/pub/large", Map.of("cache-control", "no-store")));
        Polling.until("they have their share", () -> stats.clientStreams() == 6);

        Polling.until("one has given way", () -> reader.get("/pub/small").status() == 200);
        assertThat(stats.isDown()).isFalse();
    }

    @Test
    void clientBeyondItsShareGetsSlowDown() throws Exception {
        SigningClient writer = SigningClient.of(gateway, "CROWD", "crowd-secret");
        open(writer.request("PUT", "/pub/upload", Map.of("content-length", "1000000")) + "x");
        Polling.until("they have their share", () -> stats.clientStreams() == 6);

        Polling.until("the rest is refused or has displaced others", () -> stats.refusals() > 0);
        assertThat(refused())
                .hasValueSatisfying(refusal -> assertThat(refusal)
                        .startsWith("HTTP/1.1 503")
                        .containsIgnoringCase("retry-after: 1")
                        .contains("SlowDown"));
        assertThat(stats.isDown()).isFalse();
    }

    private void assertOthersAreServed() throws IOException {
        for (int i = 0; i < 20; i++) {
            assertThat(other.get("/pub/small").status()).as("a read").isEqualTo(200);
            assertThat(write("/pub/new-" + i)).as("a write").isEqualTo(200);
            assertThat(other.get("/pub?list-type=2").status()).as("a listing").isEqualTo(200);
        }
        assertThat(stats.isDown()).isFalse();
    }

    private int write(String target) throws IOException {
        try (RawClient client = gateway.connect()) {
            return client.send(other.request("PUT", target, Map.of("content-length", "3")) + "abc")
                    .status();
        }
    }

    private void open(String request) throws IOException {
        for (int i = 0; i < CROWD; i++) {
            RawClient client = gateway.connect();
            crowd.add(client);
            client.socket().setReceiveBufferSize(16 * 1024);
            client.socket().getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    /** Returns the first response that one of the crowd has. */
    private Optional<String> refused() {
        return Polling.within(Duration.ofSeconds(60)).until(this::response, Optional::isPresent);
    }

    private Optional<String> response() throws IOException {
        for (RawClient client : crowd) {
            int available = client.in().available();
            if (available > 300) {
                return Optional.of(new String(client.in().readNBytes(available), StandardCharsets.ISO_8859_1));
            }
        }
        return Optional.empty();
    }
}
