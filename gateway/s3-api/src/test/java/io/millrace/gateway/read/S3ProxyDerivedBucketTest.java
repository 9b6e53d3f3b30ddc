package io.millrace.gateway.read;

import java.util.Set;
import org.junit.jupiter.api.Tag;

/** The tests of derived buckets over archives in S3Proxy inside this JVM. */
@Tag("matrix")
class S3ProxyDerivedBucketTest extends DerivedBucketTest {
    private final S3ProxyOrigin proxy = new S3ProxyOrigin();

    @Override
    OriginFixture connect() throws Exception {
        return proxy.start(Set.of());
    }

    @Override
    void disconnect() {
        proxy.stop();
    }
}
