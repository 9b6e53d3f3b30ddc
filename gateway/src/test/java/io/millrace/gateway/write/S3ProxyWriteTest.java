package io.millrace.gateway.write;

import io.millrace.gateway.read.Origin;
import io.millrace.gateway.read.S3Origin;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.gaul.s3proxy.junit.S3ProxyJunitCore;

/** The suite over S3Proxy inside this JVM, a server that checks signatures: what runs everywhere. */
class S3ProxyWriteTest extends S3WriteSuite implements PayloadCases, KeyCases, BucketCases {
    private static final String ACCESS_KEY = "origin-key";
    private static final String SECRET_KEY = "origin-secret";

    private final S3ProxyJunitCore proxy = new S3ProxyJunitCore.Builder()
            .withCredentials(ACCESS_KEY, SECRET_KEY)
            .withBlobStoreProvider("transient")
            .build();

    @Override
    Origin connect() throws Exception {
        proxy.beforeEach();
        return S3Origin.at(
                Objects.requireNonNull(proxy.getUri()), ACCESS_KEY, SECRET_KEY, Set.of(Origin.Trait.METADATA));
    }

    @Override
    void disconnect() {
        proxy.afterEach();
    }

    @Override
    public Set<Ability> abilities() {
        return EnumSet.of(Ability.TELLS_OWN_BUCKETS);
    }
}
