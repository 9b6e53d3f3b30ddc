package io.millrace.gateway.write;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.FreshnessSettings.Mode;
import io.millrace.gateway.testkit.CacheExtension;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A bucket behind a cache that never revalidates. A subclass says what the backend makes of keys and versions. */
@ExtendWith(BufferLeakExtension.class)
abstract class ImmutableBucketTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @RegisterExtension
    final CacheExtension cache = new CacheExtension();

    private TestGateway gateway;

    /** Wraps the backend. */
    abstract Backend over(Backend objects);

    @BeforeEach
    void startGateway() throws IOException {
        InMemoryBackend objects =
                new InMemoryBackend(EnumSet.of(Capability.WRITE)).createBucket(new BucketName("bucket"));
        gateway = TestGateway.builder()
                .cache(cache.get())
                .freshness(BucketViews.freshness(Mode.IMMUTABLE, HOUR, HOUR, HOUR))
                .bucket("bucket", over(objects))
                .start();
    }

    @AfterEach
    void stopGateway() {
        gateway.close();
    }

    RawClient.Response send(SignedWriteRequest ask) throws IOException {
        return ask.send(gateway.port());
    }
}
