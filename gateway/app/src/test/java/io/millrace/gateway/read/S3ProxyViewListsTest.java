package io.millrace.gateway.read;

import java.util.Objects;
import java.util.Set;
import org.gaul.s3proxy.junit.S3ProxyJunitCore;
import org.junit.jupiter.api.Tag;

/** The suite over S3Proxy inside this JVM. */
@Tag("matrix")
class S3ProxyViewListsTest extends ViewListSuite {
    private static final String ACCESS_KEY = "origin-key";
    private static final String SECRET_KEY = "origin-secret";

    private final S3ProxyJunitCore proxy = new S3ProxyJunitCore.Builder()
            .withCredentials(ACCESS_KEY, SECRET_KEY)
            .withBlobStoreProvider("transient")
            .build();

    @Override
    OriginFixture connect() throws Exception {
        proxy.beforeEach();
        return S3OriginFixture.at(Objects.requireNonNull(proxy.getUri()), ACCESS_KEY, SECRET_KEY, Set.of());
    }

    @Override
    void disconnect() {
        proxy.afterEach();
    }
}
