package io.millrace.gateway.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.Promise;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.fault.FaultPlan;
import io.millrace.backend.testkit.fault.FaultPlan.Operation;
import io.millrace.backend.testkit.fault.FaultyBackend;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.cache.BlockCache;
import io.millrace.gateway.objects.bucket.BucketSettings.WriteMode;
import io.millrace.gateway.objects.testkit.CacheCorruption;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Where the cache cannot remember that something of it does not count any more, no write is sent: after a crash what
 * was there before would be served in its place.
 */
@ExtendWith(BufferLeakExtension.class)
class UnrecordedWritesTest {
    private static final Set<Operation> READS =
            EnumSet.of(Operation.HEAD, Operation.OPEN, Operation.LIST, Operation.BUCKETS, Operation.BUCKET);

    @TempDir
    Path folder;

    private final InMemoryBackend objects = new InMemoryBackend(EnumSet.of(
            Capability.WRITE,
            Capability.CONDITIONAL_WRITE,
            Capability.MULTIPART,
            Capability.COPY,
            Capability.CHECKSUMS));
    private final FaultyBackend backend = new FaultyBackend(objects, FaultPlan.none());
    private BlockCache cache;
    private TestGateway gateway;

    @BeforeEach
    void start() throws IOException {
        cache = CacheFixture.in(folder);
        objects.createBucket(new BucketName("data"));
        objects.createBucket(new BucketName("kept"));
        gateway = TestGateway.builder()
                .cache(cache)
                .bucket("data", backend)
                .write(WriteMode.FILL)
                .bucket("kept", backend)
                .start();
        for (String bucket : new String[] {"data", "kept"}) {
            for (String key : new String[] {"key", "source"}) {
                objects.store(
                        new ObjectRef(new BucketName(bucket), new ObjectKey(key)), content(key), HeaderList.EMPTY);
            }
        }
    }

    @AfterEach
    void stop() {
        gateway.close();
        cache.close();
    }

    @Promise("W8")
    @Test
    void everyKindOfWriteIsRefusedAndNotSent() throws Exception {
        RawClient.Response begun = send(SignedWriteRequest.of("POST", "/data/key?uploads"));
        String upload = "/data/key?uploadId=" + begun.element("UploadId");
        String part = send(SignedWriteRequest.put(upload + "&partNumber=1", content("part")))
                .headers()
                .get("etag");
        assertThat(send(SignedWriteRequest.get("/data/key")).bytes()).isEqualTo(content("key"));
        Map<Operation, Long> before = writes();

        try (CacheCorruption unused = CacheCorruption.of(cache, folder)) {
            assertRefused(SignedWriteRequest.put("/data/key", content("new")));
            assertRefused(SignedWriteRequest.put("/kept/key", content("new")));
            assertRefused(SignedWriteRequest.of("PUT", "/data/key").with("x-amz-copy-source: /data/source"));
            assertRefused(SignedWriteRequest.of("PUT", "/data/key").with("x-amz-copy-source: /kept/source"));
            assertRefused(PostForm.of("data", "key", content("new")).ask());
            assertRefused(SignedWriteRequest.of("DELETE", "/data/key"));
            assertRefused(SignedWriteRequest.of("POST", "/data?delete")
                    .body("<Delete><Object><Key>key</Key></Object><Object><Key>source</Key></Object></Delete>"));
            assertRefused(SignedWriteRequest.of("POST", upload)
                    .body("<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>" + part
                            + "</ETag></Part></CompleteMultipartUpload>"));

            assertThat(writes()).isEqualTo(before);
            assertThat(send(SignedWriteRequest.get("/data/key")).bytes()).isEqualTo(content("key"));
            assertThat(send(SignedWriteRequest.get("/kept/key")).bytes()).isEqualTo(content("key"));
        }

        assertThat(send(SignedWriteRequest.put("/data/key", content("new"))).status())
                .isEqualTo(200);
        assertThat(send(SignedWriteRequest.get("/data/key")).bytes()).isEqualTo(content("new"));
    }

    /** What was refused is over: it keeps nothing from being cached later. */
    @Test
    void objectIsCachedAgainAfterARefusedWrite() throws Exception {
        try (CacheCorruption unused = CacheCorruption.of(cache, folder)) {
            assertRefused(SignedWriteRequest.put("/data/key", content("new")));
        }
        send(SignedWriteRequest.get("/data/key"));
        Polling.until("it is a hit", () -> isHit("/data/key"));
    }

    private Map<Operation, Long> writes() {
        return Stream.of(Operation.values())
                .filter(operation -> !READS.contains(operation))
                .collect(Collectors.toMap(operation -> operation, operation -> backend.calls(operation)));
    }

    private void assertRefused(SignedWriteRequest ask) throws IOException {
        RawClient.Response response = send(ask);
        EndpointWriteCases.assertError(response, 503, "ServiceUnavailable");
        assertThat(response.text()).contains("cannot record this change, so it was not sent");
    }

    private boolean isHit(String path) {
        try {
            String status = send(SignedWriteRequest.get(path)).headers().get("cache-status");
            return status != null && status.startsWith("millrace; hit");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] content(String name) {
        return new GeneratedBytes(name, 1).first(10_000);
    }

    private RawClient.Response send(SignedWriteRequest ask) throws IOException {
        return ask.send(gateway.port());
    }
}
