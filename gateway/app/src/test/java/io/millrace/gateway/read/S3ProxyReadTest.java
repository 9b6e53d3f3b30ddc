package io.millrace.gateway.read;

import java.util.Objects;
import java.util.Set;
import org.gaul.s3proxy.junit.S3ProxyJunitCore;

/**
 * The suite over S3Proxy inside this JVM, a server that checks signatures: what runs everywhere. It keeps objects in a file
 * system in memory, and takes names for paths.
 */
class S3ProxyReadTest extends S3ReadSuite {
    private static final String ACCESS_KEY = "origin-key";
    private static final String SECRET_KEY = "origin-secret";

    private static final Set<OriginFixture.Trait> TRAITS =
            Set.of(OriginFixture.Trait.METADATA, OriginFixture.Trait.CHECKSUMS, OriginFixture.Trait.OWNERS);

    private final S3ProxyJunitCore proxy = new S3ProxyJunitCore.Builder()
            .withCredentials(ACCESS_KEY, SECRET_KEY)
            .withBlobStoreProvider("transient")
            .build();

    @Override
    OriginFixture connect() throws Exception {
        proxy.beforeEach();
        return S3OriginFixture.at(Objects.requireNonNull(proxy.getUri()), ACCESS_KEY, SECRET_KEY, TRAITS);
    }

    @Override
    void disconnect() {
        proxy.afterEach();
    }
}
