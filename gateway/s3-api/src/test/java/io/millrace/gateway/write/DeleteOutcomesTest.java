package io.millrace.gateway.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.fault.BackendFault;
import io.millrace.backend.testkit.fault.FaultPlan;
import io.millrace.backend.testkit.fault.FaultPlan.Operation;
import io.millrace.backend.testkit.fault.FaultyBackend;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.FreshnessSettings.Mode;
import io.millrace.gateway.testkit.CacheExtension;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A delete of many keys is as many deletes: what became of one says nothing of the others, to the client and to the
 * cache.
 */
@ExtendWith(BufferLeakExtension.class)
class DeleteOutcomesTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final byte[] CONTENT = GeneratedBytes.of("content").first(1000);
    private static final byte[] LATER = GeneratedBytes.of("later").first(1000);

    @RegisterExtension
    final CacheExtension cache = new CacheExtension();

    private final InMemoryBackend objects =
            new InMemoryBackend(EnumSet.of(Capability.WRITE)).createBucket(new BucketName("bucket"));
    private final FaultyBackend backend = new FaultyBackend(objects, FaultPlan.none());
    private TestGateway gateway;

    @BeforeEach
    void start() throws IOException {
        gateway = TestGateway.builder()
                .cache(cache.get())
                .freshness(BucketViews.freshness(Mode.TTL, HOUR, HOUR, HOUR))
                .bucket("bucket", backend)
                .start();
    }

    @AfterEach
    void stop() {
        gateway.close();
    }

    @Test
    void eachKeyIsReportedAndInvalidatedByItsOutcome() throws IOException {
        for (String key : List.of("deleted", "refused", "lost")) {
            assertThat(send(SignedWriteRequest.put("/bucket/" + key, CONTENT)).status())
                    .isEqualTo(200);
            Polling.until(key + " is in the cache", () -> isHit(key));
        }
        backend.plan(FaultPlan.script(
                        BackendFault.NONE,
                        new BackendFault.FailedCall(FailureKind.ACCESS_DENIED),
                        new BackendFault.LostResponse())
                .only(Operation.DELETE));

        RawClient.Response response =
                send(SignedWriteRequest.of("POST", "/bucket?delete").body("""
                <Delete>
                  <Object><Key>deleted</Key></Object>
                  <Object><Key>refused</Key></Object>
                  <Object><Key>lost</Key></Object>
                </Delete>"""));

        assertThat(response.status()).as(response.text()).isEqualTo(200);
        assertThat(response.text())
                .contains("<Deleted><Key>deleted</Key></Deleted>")
                .contains("<Error><Key>refused</Key><Code>AccessDenied</Code>")
                .contains("<Error><Key>lost</Key><Code>ServiceUnavailable</Code>");
        assertKnownToBeGone("deleted");
        assertThat(get("refused").bytes()).isEqualTo(CONTENT);
        Polling.until("what is still there is in the cache again", () -> isHit("refused"));
        assertUnknown("lost");
    }

    /** A backend is told of it in a header, which a list would be as well. */
    @ParameterizedTest
    @ValueSource(strings = {"a&#10;b", "&quot;a&#13;b&quot;", "&#127;", "&quot;a&quot;,&quot;b&quot;", "&#256;"})
    void refusesDeleteWithInvalidETagBeforeTheBackend(String tag) throws IOException {
        assertThat(send(SignedWriteRequest.put("/bucket/key", CONTENT)).status())
                .isEqualTo(200);

        RawClient.Response response = send(SignedWriteRequest.of("POST", "/bucket?delete")
                .body("<Delete><Object><Key>key</Key><ETag>" + tag + "</ETag></Object></Delete>"));

        assertThat(response.text()).contains("<Error><Key>key</Key><Code>NotImplemented</Code>");
        assertThat(backend.calls(Operation.DELETE)).isZero();
        assertThat(get("key").bytes()).isEqualTo(CONTENT);
    }

    /** Nobody need be asked again for an hour. */
    private void assertKnownToBeGone(String key) throws IOException {
        assertThat(get(key).status()).isEqualTo(404);
        store(key);

        assertThat(get(key).status()).isEqualTo(404);
    }

    /** It happened, as it turns out, or happens later, or never: each read asks. */
    private void assertUnknown(String key) throws IOException {
        assertThat(get(key).status()).isEqualTo(404);
        store(key);

        for (int i = 0; i < 3; i++) {
            assertThat(get(key).bytes()).isEqualTo(LATER);
            assertThat(isHit(key)).isFalse();
        }
    }

    /** Behind the gateway's back. */
    private void store(String key) {
        objects.store(new ObjectRef(new BucketName("bucket"), new ObjectKey(key)), LATER, HeaderList.EMPTY);
    }

    private boolean isHit(String key) {
        try {
            String status = get(key).headers().get("cache-status");
            return status != null && status.startsWith("millrace; hit");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private RawClient.Response get(String key) throws IOException {
        return send(SignedWriteRequest.get("/bucket/" + key));
    }

    private RawClient.Response send(SignedWriteRequest ask) throws IOException {
        return ask.send(gateway.port());
    }
}
