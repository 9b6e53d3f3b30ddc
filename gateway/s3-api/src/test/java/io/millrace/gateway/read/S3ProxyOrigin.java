package io.millrace.gateway.read;

import java.util.Objects;
import java.util.Set;
import org.gaul.s3proxy.junit.S3ProxyJunitCore;

/**
 * S3Proxy inside this JVM, a server that checks signatures. It keeps objects in a file system in memory, and takes
 * names for paths.
 */
public final class S3ProxyOrigin {
    private static final String ACCESS_KEY = "origin-key";
    private static final String SECRET_KEY = "origin-secret";

    private final S3ProxyJunitCore proxy = new S3ProxyJunitCore.Builder()
            .withCredentials(ACCESS_KEY, SECRET_KEY)
            .withBlobStoreProvider("transient")
            .build();

    public OriginFixture start(Set<OriginFixture.Trait> traits) throws Exception {
        proxy.beforeEach();
        return S3OriginFixture.at(Objects.requireNonNull(proxy.getUri()), ACCESS_KEY, SECRET_KEY, traits);
    }

    public void stop() {
        proxy.afterEach();
    }
}
